/* Commands and code that send the same request: for curl, for the SDK and for its command line. */

/** @typedef {{ readonly url: string, readonly headers: Readonly<Record<string, string>>, readonly body: string }} SentRequest */

/** The header in which the SDK sends its reference. */
export const REFERENCE_HEADER = 'x-client-reference'

/** A retry with the same reference creates nothing twice: no sample goes without one. */
export const REFERENCE = 'hire-4711'

/** A command for curl in a POSIX shell. @param {SentRequest} request */
export function curlCommand({ url, headers, body }) {
  return [
    `curl -sS ${quoted(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    `--data-raw ${quoted(body)}`,
  ].join(' \\\n  ')
}

/** The same as a program with the SDK; `null` if the SDK has no call for it. @param {SentRequest} request */
export function sdkCode({ url, headers, body }) {
  const call = callIn(body)
  if (call === null) return null
  const { 'x-api-key': apiKey, authorization } = headers
  const credentials = apiKey ? { apiKey } : { adminSession: { headers: { authorization } } }
  const { method, input } = call
  const reference = headers[REFERENCE_HEADER] ?? input?.externalReference ?? REFERENCE
  const client = literal({ baseUrl: baseOf(url), ...credentials })
  const [open, own] = method === 'tracks.list' ? ['', client] : [LEDGER, client.replace(/\}$/, '  ledger,\n}')]
  return `import { CertifyClient } from 'certify-sdk'
${open}
const client = new CertifyClient(${own})
const result = await client.${method}(${input === null ? '' : literal(input)}${open && `, ${literal({ reference })}`})
console.log(result)`
}

/* Without a ledger, a retry after a lost response invites twice. */
const LEDGER = `import { openLedger } from 'certify-sdk/ledger'

const ledger = await openLedger('invites.ledger')`

/** The same as a command of the SDK; `null` if it has none. @param {SentRequest} request */
export function cliCommand({ url, headers, body }) {
  const call = callIn(body)
  const apiKey = headers['x-api-key']
  if (call === null || !apiKey) return null
  const { command, input } = call
  const { quizId, packageId, candidate = {}, externalReference, callbackUrl, sendInviteEmail, search } = input ?? {}
  const flags = Object.entries({
    'quiz-id': quizId,
    'package-id': packageId,
    email: candidate.email,
    name: candidate.name,
    'external-reference': externalReference,
    'callback-url': callbackUrl,
    search,
  }).filter(([, value]) => value)
  return [
    `export CERTIFY_BASE_URL=${word(baseOf(url))}\nexport CERTIFY_API_KEY=${word(apiKey)}\nnpx certify-sdk ${command}`,
    ...flags.map(([name, value]) => `--${name} ${word(String(value))}`),
    ...(sendInviteEmail === false ? ['--no-send-email'] : []),
  ].join(' \\\n  ')
}

/** A text as one word of a POSIX shell. @param {string} text */
function quoted(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** @type {Readonly<Record<string, { readonly method: string, readonly command: string }>>} */
const CALLS = {
  developerCreateCertificationInvite: { method: 'invites.create', command: 'invites create' },
  developerCreateCertificationPackageInvite: { method: 'packageInvites.create', command: 'invites create' },
  developerCertificationPackageTracks: { method: 'tracks.list', command: 'tracks list' },
}

/** The only call in a GraphQL request, if its input is in variables. @param {string} body */
function callIn(body) {
  try {
    const { query, variables } = JSON.parse(body)
    const [name, ...more] = String(query).match(/\bdeveloperC\w+/g) ?? []
    const call = name === undefined ? undefined : CALLS[name]
    if (call === undefined || more.length > 0) return null
    const given = Object.keys(Object(variables)).length > 0
    if (call.command === 'tracks list') return { ...call, input: given ? variables : null }
    return typeof variables?.input === 'object' ? { ...call, input: variables.input } : null
  } catch {
    return null
  }
}

/** A value as JavaScript, as people write it. @param {unknown} value @param {string} indent @returns {string} */
function literal(value, indent = '') {
  if (typeof value === 'string')
    return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value)
  const members = Object.entries(value).map(([name, each]) => {
    const key = /^[a-z]\w*$/i.test(name) ? name : literal(name)
    return `${indent}  ${key}: ${literal(each, `${indent}  `)},\n`
  })
  return `{\n${members.join('')}${indent}}`
}

/** @param {string} url */
function baseOf(url) {
  return url.replace(/\/api\/developer\/graphql.*$/s, '')
}

/** @param {string} text */
function word(text) {
  return /^[\w@%+:,./-]+$/.test(text) ? text : quoted(text)
}
