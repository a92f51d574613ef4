import { optionsInvalid } from '../refusals.ts'
import { fromBase64 } from './base64.ts'
import { type HeadersLike, headerOf } from './event.ts'
import { type HmacKey, importKey, isSigned } from './hmac.ts'

export interface SignatureOptions {
  /** The secrets: base64, with or without `whsec_` before it. All verify: to change a secret, give the old and the new one. */
  readonly secrets: readonly string[]
  /** How far the time of a delivery may be from now, in milliseconds. Default: 300,000, five minutes. */
  readonly toleranceMs?: number | undefined
  /** Milliseconds since 1970. Default: `Date.now`. */
  readonly now?: (() => number) | undefined
}

/** Verifies the signature of a delivery. */
export type SignatureCheck = (headers: HeadersLike, body: Uint8Array) => Promise<boolean>

const TOLERANCE_MS = 300_000

/**
 * A check by Standard Webhooks: an HMAC with SHA-256 over `webhook-id`, `webhook-timestamp` and the body. The specification of
 * the service shows no signature. This is for the day when there is one, and for the mock's `callbackSigning`.
 *
 * @returns a function that resolves with whether the delivery is signed by one of the secrets, and recent
 * @throws CertifyError CONFIG_INVALID, outcome `not-executed`
 * @example
 * ```ts
 * const isGenuine = standardWebhooks({ secrets: ['whsec_…'] })
 * if (!(await isGenuine(request.headers, body))) return new Response(null, { status: 401 })
 * ```
 */
export function standardWebhooks(options: SignatureOptions): SignatureCheck {
  const { secrets, toleranceMs = TOLERANCE_MS, now = Date.now } = options
  const bytes = Array.isArray(secrets) ? secrets.map((secret) => fromBase64(String(secret).replace(/^whsec_/, ''))) : []
  const valid = bytes.filter((each) => each !== undefined && each.length > 0)
  if (valid.length === 0 || valid.length < bytes.length) {
    const rule = 'must be a list of secrets in base64, with or without whsec_ before them'
    throw optionsInvalid('standardWebhooks', [{ path: 'secrets', rule }])
  }
  let keys: Promise<readonly HmacKey[]> | undefined
  return async (headers, body) => {
    const header = (name: string) => headerOf(headers, name) ?? ''
    const [id, time] = [header('webhook-id'), header('webhook-timestamp')]
    /* Written so that a time which is no number is refused too. */
    if (id === '' || !(Math.abs(now() - Number(time || Number.NaN) * 1000) <= toleranceMs)) return false
    const start = new TextEncoder().encode(`${id}.${time}.`)
    const signed = new Uint8Array(start.length + body.length)
    signed.set(start)
    signed.set(body, start.length)
    keys ??= Promise.all(valid.map((each) => importKey(each as Uint8Array<ArrayBuffer>)))
    const known = await keys
    const checks = signaturesIn(header('webhook-signature')).map((signature) => isSigned(known, signature, signed))
    return (await Promise.all(checks)).includes(true)
  }
}

const MOST_SIGNATURES = 10

/* Several secrets make several signatures, with a space between them. Other versions than v1 are ignored. */
function signaturesIn(header: string): readonly Uint8Array<ArrayBuffer>[] {
  const words = header.split(' ').filter((word) => word.startsWith('v1,'))
  return words.slice(0, MOST_SIGNATURES).flatMap((word) => fromBase64(word.slice(3)) ?? [])
}
