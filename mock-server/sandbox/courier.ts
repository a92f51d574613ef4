import type { Dialect } from '../api/dialect.ts'
import { realClearTimeout, realFetch, realSetTimeout } from '../platform.ts'
import type { MockCallbackOptions } from './callback.ts'
import { standardWebhook } from './signature.ts'

/** What is sent in one attempt. */
export interface Parcel {
  readonly id: string
  readonly url: string
  readonly body: string
  /** 1 for the first attempt. */
  readonly attempt: number
  /** The time of the attempt in the world, in milliseconds. */
  readonly at: number
  /** What a fault does to the signature, where there is one. */
  readonly signing: 'true' | 'bad' | 'stale'
}

/** How an attempt went: the status that came back, or why there was none. `blocked`: nothing was contacted. */
export type Receipt = { readonly status: number } | { readonly error: string; readonly blocked: boolean }

/** Carries parcels to where they are addressed, or to where a tester wants them. */
export class Courier {
  readonly #options: MockCallbackOptions
  readonly #signing: Dialect['callbackSigning']
  #calledBack = new AbortController()

  constructor(options: MockCallbackOptions, signing: Dialect['callbackSigning']) {
    this.#options = options
    this.#signing = signing
  }

  async carry(parcel: Parcel): Promise<Receipt> {
    const { deliver, timeoutMs = 10_000 } = this.#options
    const target = deliver ? parcel.url : this.#target(parcel.url)
    if (target === null) {
      const { host } = new URL(parcel.url)
      const error = `${host} was not contacted: it is neither a loopback address nor mapped by callbacks.hosts nor allowed by callbacks.allow.`
      return { error, blocked: true }
    }
    const waited = new AbortController()
    const timer = realSetTimeout(() => waited.abort(), timeoutMs)
    const signal = AbortSignal.any([waited.signal, this.#calledBack.signal])
    try {
      const request = await this.#request(parcel, target, signal)
      const response = await ended(deliver ? deliver(request) : realFetch(request), signal)
      await response.body?.cancel()
      return { status: response.status }
    } catch (error) {
      return { error: waited.signal.aborted ? `no answer within ${timeoutMs} ms` : reasonOf(error), blocked: false }
    } finally {
      realClearTimeout(timer)
    }
  }

  /** Ends whatever is under way. */
  callBack(): void {
    this.#calledBack.abort()
    this.#calledBack = new AbortController()
  }

  /** Where a callback really goes; `null` where it must not go. */
  #target(url: string): string | null {
    const { hosts = {}, allow = [] } = this.#options
    const { origin, pathname, search } = new URL(url)
    const mapped = Object.entries(hosts).find(([host]) => URL.canParse(host) && new URL(host).origin === origin)?.[1]
    const target = mapped === undefined ? new URL(url) : new URL(mapped.replace(/\/+$/, '') + pathname + search)
    return isLoopback(target.hostname) || allow.includes(target.hostname) ? target.href : null
  }

  async #request({ id, url, body, attempt, at, signing }: Parcel, target: string, signal: AbortSignal) {
    const address = new URL(target)
    const { username, password } = new URL(url)
    address.username = ''
    address.password = ''
    const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'user-agent': 'certify-mock',
      [EVENT_ID_HEADER]: id,
      'x-certify-attempt': String(attempt),
      ...(user !== ':' && { authorization: `Basic ${base64(user)}` }),
      ...(this.#signing !== 'none' &&
        (await standardWebhook(this.#signing.standardWebhooks, { id, body, at, signing }))),
    }
    return new Request(address, { method: 'POST', headers, body, redirect: 'manual', signal })
  }
}

/** The header that names the event, in every attempt. */
export const EVENT_ID_HEADER = 'x-certify-event-id'

/** What comes of a promise, or the end of the signal where that is first. */
async function ended<Value>(work: Value | Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise, reject } = withReject()
  const onAbort = (): void => reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

function withReject(): { promise: Promise<never>; reject: (reason: unknown) => void } {
  let reject: (reason: unknown) => void = () => {}
  const promise = new Promise<never>((_, rejected) => {
    reject = rejected
  })
  promise.catch(() => {})
  return { promise, reject }
}

function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
}

/** Why there was no answer, for the log: the code of the platform where there is one. */
function reasonOf(error: unknown): string {
  const { cause } = error instanceof Error ? error : {}
  if (cause instanceof Error && 'code' in cause) return String(cause.code)
  return error instanceof Error ? error.message : String(error)
}
