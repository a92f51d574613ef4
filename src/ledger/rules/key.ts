import { API_PATH } from '../../endpoint.ts'
import type { LedgerScope, SendInput, Target } from './entry.ts'

/** How long a link lives, by the specification: whatever may have been created before that is closed now. */
export const LINK_LIFETIME_MS: number = 14 * 24 * 60 * 60 * 1000

/** What makes two addresses the same candidate: the text trimmed and in lower case. Dots and `+tags` count. */
export function emailKey(email: string): string {
  return email.trim().toLowerCase()
}

/** A scope in the one spelling that keys have. What is sent stays as it was written. */
export function scopeKey({ baseUrl, account, world }: LedgerScope): LedgerScope {
  return { baseUrl: baseUrlKey(baseUrl), account: accountKey(account), world }
}

/** The base URL of a service, or of an endpoint there, in the one spelling that keys have. */
export function baseUrlKey(url: string): string {
  if (!URL.canParse(url)) return url
  /* In lower case, without the port that the scheme has anyway, and without dot segments. */
  const { protocol, hostname, port, pathname } = new URL(url)
  const host = hostname.replace(/\.$/, '') + (port === '' ? '' : `:${port}`)
  const path = pathname
    .replace(/%([\da-f]{2})?/gi, escapeKey)
    .replace(/\/{2,}/g, '/')
    .replace(/\/$/, '')
  return `${protocol}//${host}${path.endsWith(API_PATH) ? path.slice(0, -API_PATH.length) : path}`
}

/* RFC 3986, 6.2.2: what need not be escaped is not, and the others are in upper case. */
function escapeKey(escaped: string, hex?: string): string {
  if (hex === undefined) return '%25'
  const character = String.fromCharCode(Number.parseInt(hex, 16))
  return /[\w.~-]/.test(character) ? character : escaped.toUpperCase()
}

/** The name of an account as keys have it. */
export function accountKey(account: string): string {
  return account.trim()
}

/** The identifier of a quiz or a package as keys have it. */
export function idKey(id: string): string {
  return id.trim()
}

/** What a target claims: its quizzes and its package, each by itself. */
export function subjectsOf({ quizIds, packageId }: Target): readonly string[] {
  return [...quizIds.map(quizSubject), ...(packageId === undefined ? [] : [`package:${idKey(packageId)}`])]
}

export function quizSubject(quizId: string): string {
  return `quiz:${idKey(quizId)}`
}

/** What an input is about. `quizIds`: those of the package, as far as they are known. */
export function targetOf(input: SendInput, quizIds: readonly string[] = []): Target {
  const { email } = input.candidate
  return 'packageId' in input ? { email, packageId: input.packageId, quizIds } : { email, quizIds: [input.quizId] }
}
