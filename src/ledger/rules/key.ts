import type { CreateInput } from '../../operations.ts'
import { asciiDomain, MAX_ADDRESS_LENGTH } from '../../util/email-address.ts'
import { API_PATH, parseUrl } from '../../util/url.ts'
import type { LedgerScope, Target } from './model.ts'

/** The lifetime of a link, by the specification. An older unknown invite has expired. */
export const LINK_LIFETIME_MS: number = 14 * 24 * 60 * 60 * 1000

/**
 * The key of a candidate, the same for every spelling of one address: upper and lower case, composed and decomposed
 * letters, a domain in Unicode and in Punycode. Dots and `+tags` count.
 */
export function emailKey(email: string): string {
  /* Not an address, so it has no invite. Normalizing takes quadratic time. */
  if (email.length > MAX_ADDRESS_LENGTH) return email.trim()
  const text = email.normalize('NFKC').trim()
  const at = text.lastIndexOf('@') + 1
  /* Lower, upper, lower case: the pairs of ẞ, ß and SS, of Σ and ς and of I and ı are not one-to-one. İ becomes two characters. */
  const folded = text.slice(0, at).toLowerCase().toUpperCase().toLowerCase().normalize('NFKC')
  const local = folded.replaceAll(/i\u0307+/g, 'i')
  /* In a domain, ß and ss are different names, as are ς and σ. */
  const domain = text.slice(at)
  return local + (asciiDomain(domain) || domain).toLowerCase()
}

/** A scope, normalized for comparison. Requests use the original spelling. */
export function scopeKey({ baseUrl, account, world }: LedgerScope): LedgerScope {
  return { baseUrl: baseUrlKey(baseUrl), account: accountKey(account), world }
}

/** A base URL, or the one in an endpoint, normalized for comparison. */
export function baseUrlKey(url: string): string {
  const parsed = parseUrl(url)
  if (parsed === undefined) return url
  /* `URL` makes the host lower case, and removes the default port and dot segments. */
  const { protocol, hostname, port, pathname } = parsed
  const name = hostname.replace(/\.$/, '')
  /* Three names for one service: another spelling must not invite everybody again. */
  const host = (/^(127\.0\.0\.1|\[::1\])$/.test(name) ? 'localhost' : name) + (port === '' ? '' : `:${port}`)
  const path = pathname
    .replace(/%([\da-f]{2})?/gi, escapeKey)
    .replace(/\/{2,}/g, '/')
    .replace(/\/$/, '')
  return `${protocol}//${host}${path.endsWith(API_PATH) ? path.slice(0, -API_PATH.length) : path}`
}

/* RFC 3986, 6.2.2: only necessary escapes remain, in upper case. */
function escapeKey(escaped: string, hex?: string): string {
  if (hex === undefined) return '%25'
  const character = String.fromCharCode(Number.parseInt(hex, 16))
  return /[\w.~-]/.test(character) ? character : escaped.toUpperCase()
}

/** The name of an account, normalized for comparison. */
export function accountKey(account: string): string {
  return account.trim()
}

/** The identifier of a quiz or a package, normalized for comparison. */
export function idKey(id: string): string {
  return id.trim()
}

/** The keys that a target claims: one for each quiz, and one for its package. */
export function subjectsOf({ quizIds, packageId }: Target): readonly string[] {
  return [...quizIds.map(quizSubject), ...(packageId === undefined ? [] : [packageSubject(packageId)])]
}

export function packageSubject(packageId: string): string {
  return `package:${idKey(packageId)}`
}

export function quizSubject(quizId: string): string {
  return `quiz:${idKey(quizId)}`
}

/** The target of an input. `quizIds`: the known quizzes of the package. */
export function targetOf(input: CreateInput, quizIds: readonly string[] = []): Target {
  const { email } = input.candidate
  return 'packageId' in input ? { email, packageId: input.packageId, quizIds } : { email, quizIds: [input.quizId] }
}
