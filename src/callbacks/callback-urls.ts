import { type Issue, optionsInvalid } from '../errors.ts'
import { parseUrl } from '../util/url.ts'
import { fromBase64Url, toBase64Url } from './base64.ts'
import type { CertificationCompleted, EventFacts, FollowUpClaimed } from './event.ts'
import type { InboxEvent } from './inbox.ts'

/** The options of callback URLs. */
export interface CallbackUrlOptions {
  /** The public URL of your handler. It starts with `https://` and has no query or fragment. */
  readonly baseUrl: string
  /**
   * The secrets that sign the tokens, each 32 characters or more. The first one signs, all of them verify: to rotate
   * the secret, put the new one first. Keep the old one while candidates may still use their invites; a follow-up
   * inherits its URL.
   */
  readonly secrets: readonly string[]
}

/** Makes and verifies the callback URLs of invites. */
export interface CallbackUrls {
  /**
   * The `callbackUrl` for one invite or package invite. Anyone who knows it can post events for that invite: treat it
   * as a secret.
   *
   * @param reference your own identifier for the create, up to 256 characters. It is readable in the URL: put no personal
   *   data in it
   * @throws CertifyError CONFIG_INVALID, outcome `not-executed`
   */
  readonly mint: (reference: string) => Promise<string>
  /** The reference in a URL or path that {@link mint} made with one of the secrets; `undefined` for any other. */
  readonly read: (url: string) => Promise<Pick<InboxEvent, 'reference'> | undefined>
  /**
   * For tests without a mock: the request of an event, to pass to your handler. Its format is a guess, as the events are.
   *
   * @param reference as for {@link mint}
   * @param event its `type` and the fields that the test needs; an `id` and a time are added
   * @throws CertifyError CONFIG_INVALID, outcome `not-executed`
   * @example
   * ```ts
   * await handler(await callbacks.testRequest('hire-4711', { type: 'certification.completed', inviteId, result: 'PASSED' }))
   * ```
   */
  readonly testRequest: (reference: string, event: TestEvent) => Promise<RuntimeRequest>
}

/** The fields of an event that a test sends. */
export type TestEvent = Sent<CertificationCompleted> | Sent<FollowUpClaimed>

type Sent<Event extends EventFacts> = Pick<Event, 'type'> &
  Partial<Omit<Event, keyof EventFacts> & Pick<EventFacts, 'id' | 'occurredAt'>>

/** The runtime's own Request, if its types are loaded. */
export type RuntimeRequest = typeof globalThis extends { Request: { prototype: infer Own } } ? Own : unknown

const HMAC = { name: 'HMAC', hash: 'SHA-256' }
const MIN_SECRET_LENGTH = 32
const MAX_REFERENCE_LENGTH = 256
/* Base64 of the reference (at most three bytes per character), a dot, and base64 of the MAC. */
const MAX_TOKEN_LENGTH = 1_024 + 1 + 43

/**
 * Makes callback URLs that carry a token. The specification shows no signature on events, so the URL is the only proof
 * that an event comes from the service. The token is an HMAC-SHA-256 of the reference. It does not expire, because a
 * follow-up inherits the URL.
 *
 * @throws CertifyError CONFIG_INVALID, outcome `not-executed`
 * @example
 * ```ts
 * const urls = callbackUrls({ baseUrl: 'https://app.example/certify', secrets: [secret] })
 * const callbackUrl = await urls.mint(crypto.randomUUID())
 * ```
 */
export function callbackUrls(options: CallbackUrlOptions): CallbackUrls {
  const issues = issuesOf(options)
  if (issues.length > 0) throw optionsInvalid('callbackUrls', issues)
  const baseUrl = options.baseUrl.replace(/(?<!\/)\/+$/, '')
  const importKeys = () =>
    Promise.all(
      options.secrets.map((secret) =>
        crypto.subtle.importKey('raw', new TextEncoder().encode(secret), HMAC, false, ['sign', 'verify']),
      ),
    )
  let imported: ReturnType<typeof importKeys> | undefined
  const keys = () => (imported ??= importKeys())
  const mint = async (reference: string) => {
    if (!isReference(reference)) {
      const rule = `must be a text of 1 to ${MAX_REFERENCE_LENGTH} characters`
      throw optionsInvalid('callbackUrls.mint', [{ path: 'reference', rule }])
    }
    const [key] = await keys()
    const mac = key === undefined ? [] : await crypto.subtle.sign(HMAC, key, signedText(reference))
    return `${baseUrl}/${toBase64Url(new TextEncoder().encode(reference))}.${toBase64Url(new Uint8Array(mac))}`
  }
  return {
    mint,
    async testRequest(reference, { type, id = crypto.randomUUID(), occurredAt = new Date().toISOString(), ...data }) {
      const body = JSON.stringify({ id, type, occurredAt, data })
      return new Request(await mint(reference), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
    },
    async read(url) {
      const [encoded = '', code = '', more] = tokenIn(url).split('.')
      const [bytes, mac] = [fromBase64Url(encoded), fromBase64Url(code)]
      if (bytes === undefined || mac === undefined || more !== undefined) return undefined
      const reference = decoded(bytes)
      /* A constant-time comparison. */
      const matches = (await keys()).map((key) => crypto.subtle.verify(HMAC, key, mac, signedText(reference)))
      return (await Promise.all(matches)).includes(true) ? { reference } : undefined
    },
  }
}

/* The last segment of the path; empty if it is too long. In linear time, because anyone can send a URL. */
function tokenIn(url: string): string {
  const [path = ''] = url.split(/[?#]/, 1)
  const end = path.length - Number(path.endsWith('/'))
  const start = path.lastIndexOf('/', end - 1) + 1
  return end - start > MAX_TOKEN_LENGTH ? '' : path.slice(start, end)
}

/* Domain separation: a secret that also signs something else never signs a token by accident. */
function signedText(reference: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`certify-callback:${reference}`)
}

function isReference(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_REFERENCE_LENGTH && isWellFormed(value)
}

/* UTF-8 cannot encode a lone surrogate: it would be read back as another character. */
function isWellFormed(text: string): boolean {
  return decoded(new TextEncoder().encode(text)) === text
}

function decoded(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
}

function issuesOf({ baseUrl, secrets }: CallbackUrlOptions): readonly Issue[] {
  const url = typeof baseUrl === 'string' ? parseUrl(baseUrl) : undefined
  const isAddress = url !== undefined && baseUrl.startsWith('https://') && url.search + url.hash === ''
  const areSecrets =
    Array.isArray(secrets) &&
    secrets.length > 0 &&
    secrets.every((secret) => typeof secret === 'string' && secret.length >= MIN_SECRET_LENGTH)
  return [
    ...(isAddress
      ? []
      : [{ path: 'baseUrl', rule: 'must be a URL that starts with https://, without a query or a fragment' }]),
    ...(areSecrets
      ? []
      : [{ path: 'secrets', rule: `must be a list of secrets of ${MIN_SECRET_LENGTH} characters or more` }]),
  ]
}
