/* Fault rules in words. */

import type { CallbackFaultRule, Fault, FaultRule } from '../generated/contract.ts'

type Rule = FaultRule | CallbackFaultRule
/** What happens to one request or one delivery. */
export type EachFault = NonNullable<Rule['fault'] | NonNullable<Rule['script']>[number]>

/** A rule as a sentence: what it affects, and what happens to it. */
export function faultSentence(rule: Rule): string {
  const { email, probability = 1, key, script, fault = 'ok' } = { key: undefined, ...rule }
  const share = probability < 1 ? `${Math.round(probability * 1000) / 10} % of the ` : ''
  const candidate = email === undefined ? '' : ` for ${email}`
  const named = key === undefined ? '' : key === null ? ' without a known key' : ` with the key ${key}`
  const what = script ? `in turn ${script.map(faultWords).join('; ')}` : faultWords(fault)
  const text = `${share}${subjectOf(rule)}${candidate}${named}: ${what}${effectOf(rule)}.`
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function subjectOf(rule: Rule): string {
  if ('event' in rule) return rule.event === 'any' ? 'callbacks' : `callbacks ${rule.event}`
  return SUBJECTS[('operation' in rule && rule.operation) || ''] ?? 'requests'
}

const SUBJECTS: Readonly<Record<string, string>> = {
  developerCreateCertificationInvite: 'creates of invites',
  developerCreateCertificationPackageInvite: 'creates of package invites',
  developerCertificationPackageTracks: 'listings of tracks',
}

/* Whether the request is executed. A late response always follows an effect. */
function effectOf(rule: Rule): string {
  const faults = [rule.fault ?? [], rule.script ?? []].flat()
  if ('event' in rule || faults.every((each) => typeof each === 'object' && 'delayMs' in each)) return ''
  return 'phase' in rule && rule.phase === 'after'
    ? ', after the request was executed'
    : ', before the request is executed'
}

/** What a fault does. */
export function faultWords(fault: EachFault): string {
  if (typeof fault === 'number') return `HTTP ${fault}`
  if (typeof fault === 'string') return WORDS[fault] ?? fault
  if ('delay' in fault) return `delivered ${fault.delay}${typeof fault.delay === 'number' ? ' ms' : ''} later`
  if ('code' in fault) return `the error ${fault.code}`
  if ('delayMs' in fault) return `the response is ${fault.delayMs / 1000} s late`
  const headers = Object.entries(fault.headers ?? {}).map(([name, value]) => `${name} ${value}`)
  return `HTTP ${fault.status}${headers.length === 0 ? '' : ` with ${headers.join(' and ')}`}`
}

interface Kind {
  readonly does: string
  readonly did: string
  /** The code with which the SDK reports it. */
  readonly code: string
}

/** The faults in which the response is lost: what each does, and what it did. */
export const KINDS: Readonly<Record<Extract<Fault, string>, Kind>> = {
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

const WORDS: Readonly<Record<string, string>> = {
  ok: 'nothing',
  refuse: 'the connection is refused',
  duplicate: 'delivered twice',
  ...Object.fromEntries(Object.entries(KINDS).map(([kind, { does }]) => [kind, does])),
}
