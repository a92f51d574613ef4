/* Fault rules in words: for the page, and for the form before its rule is added. */

/** @typedef {Readonly<Record<string, any>>} Rule */

/** A rule as a sentence: what it affects, and what happens to it. @param {Rule} rule */
export function faultSentence(rule) {
  const { email, probability = 1, key, script, fault = 'ok' } = rule
  const share = probability < 1 ? `${Math.round(probability * 1000) / 10} % of the ` : ''
  const candidate = email === undefined ? '' : ` for ${email}`
  const named = key === undefined ? '' : key === null ? ' without a known key' : ` with the key ${key}`
  const what = script ? `in turn ${script.map(faultWords).join('; ')}` : faultWords(fault)
  const text = `${share}${subjectOf(rule)}${candidate}${named}: ${what}${effectOf(rule)}.`
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** @param {Rule} rule */
function subjectOf({ event, operation = '' }) {
  if (event !== undefined) return event === 'any' ? 'callbacks' : `callbacks ${event}`
  return SUBJECTS[operation] ?? 'requests'
}

/** @type {Readonly<Record<string, string>>} */
const SUBJECTS = {
  developerCreateCertificationInvite: 'creates of invites',
  developerCreateCertificationPackageInvite: 'creates of package invites',
  developerCertificationPackageTracks: 'listings of tracks',
}

/** Whether the request is executed. A late response always follows an effect. @param {Rule} rule */
function effectOf({ event, fault = [], script = [], phase }) {
  const faults = [fault, script].flat()
  if (event !== undefined || faults.every((each) => 'delayMs' in Object(each))) return ''
  return phase === 'after' ? ', after the request was executed' : ', before the request is executed'
}

/** What a fault does. @param {any} fault @returns {string} */
export function faultWords(fault) {
  if (typeof fault === 'number') return `HTTP ${fault}`
  if (typeof fault === 'string') return WORDS[fault] ?? fault
  if ('delay' in fault) return `delivered ${fault.delay}${typeof fault.delay === 'number' ? ' ms' : ''} later`
  if ('code' in fault) return `the error ${fault.code}`
  if ('delayMs' in fault) return `the response is ${fault.delayMs / 1000} s late`
  const headers = Object.entries(fault.headers ?? {}).map(([name, value]) => `${name} ${value}`)
  return `HTTP ${fault.status}${headers.length === 0 ? '' : ` with ${headers.join(' and ')}`}`
}

/** @typedef {Extract<import('../../generated/contract.ts').Fault, string>} Kind */

/**
 * The faults in which the response is lost: what each does, what it did, and the code with which the SDK reports it.
 *
 * @type {Readonly<Record<Kind, { readonly does: string, readonly did: string, readonly code: string }>>}
 */
export const KINDS = {
  cut: { does: 'the connection is cut', did: 'cut the connection', code: 'CONNECTION_LOST' },
  reset: { does: 'the connection is reset', did: 'reset the connection', code: 'CONNECTION_LOST' },
  hang: { does: 'no response ever comes', did: 'withheld the response', code: 'TIMED_OUT' },
  stall: { does: 'half a response, then nothing', did: 'sent half of the response, then nothing', code: 'TIMED_OUT' },
  truncate: {
    does: 'half a response, then the end',
    did: 'sent half of the response, then cut the connection',
    code: 'RESPONSE_UNREADABLE',
  },
}

/** @type {Readonly<Record<string, string>>} */
const WORDS = {
  ok: 'nothing',
  refuse: 'the connection is refused',
  duplicate: 'delivered twice',
  ...Object.fromEntries(Object.entries(KINDS).map(([kind, { does }]) => [kind, does])),
}
