import type { BehaviourSwitches } from '../contract/behaviour-switches.ts'
import { EVENT_ID_HEADER, type MockCallbackOptions } from '../contract/callbacks.ts'
import { standardWebhook } from './callback-signature.ts'
import { realClearTimeout, realFetch, realSetTimeout } from './unpatched-globals.ts'

/** What is sent in one attempt. */
export interface Delivery {
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
export type DeliveryResult =
  | { readonly status: number; readonly error?: never }
  | { readonly error: string; readonly blocked: boolean; readonly status?: never }

/** Sends callbacks to their addresses, or to where a tester wants them. */
export class CallbackSender {
  readonly #options: MockCallbackOptions
  readonly #signing: BehaviourSwitches['callbackSigning']
  #deliver: MockCallbackOptions['deliver']
  #aborted = new AbortController()

  constructor(options: MockCallbackOptions, signing: BehaviourSwitches['callbackSigning']) {
    this.#options = options
    this.#deliver = options.deliver
    this.#signing = signing
  }

  /** Hands everything to this from now on. */
  deliverTo(deliver: NonNullable<MockCallbackOptions['deliver']>): void {
    this.#deliver = deliver
  }

  /** Hands everything to what it was made with. */
  reset(): void {
    this.#deliver = this.#options.deliver
  }

  async send(delivery: Delivery): Promise<DeliveryResult> {
    const { timeoutMs = 10_000 } = this.#options
    const deliver = this.#deliver
    const target = deliver ? new URL(delivery.url) : this.#targetOf(delivery.url)
    if (!deliver && !this.#mayContact(target)) return { error: notContacted(delivery.url, target), blocked: true }
    const waited = new AbortController()
    const timer = realSetTimeout(() => waited.abort(), timeoutMs)
    const signal = AbortSignal.any([waited.signal, this.#aborted.signal])
    try {
      const request = await this.#request(delivery, target, signal)
      const response: Partial<Response> = Object(
        await ended(() => (deliver ? deliver(request) : realFetch(request)), signal),
      )
      if (response.status === undefined) return { error: 'deliver gave no Response', blocked: false }
      // Not waited for: where somebody else reads the body as well, it is cancelled only when they have finished.
      response.body?.cancel().catch(() => {})
      return { status: response.status }
    } catch (error) {
      return { error: waited.signal.aborted ? `no answer within ${timeoutMs} ms` : reasonOf(error), blocked: false }
    } finally {
      realClearTimeout(timer)
    }
  }

  /** Ends whatever is under way. */
  abort(): void {
    this.#aborted.abort()
    this.#aborted = new AbortController()
  }

  /** Where a callback really goes. */
  #targetOf(url: string): URL {
    const { origin, pathname, search } = new URL(url)
    const mapped = Object.entries(this.#options.hosts ?? {}).find(([host]) => new URL(host).origin === origin)?.[1]
    return mapped === undefined ? new URL(url) : new URL(mapped.replace(/\/+$/, '') + pathname + search)
  }

  #mayContact({ hostname }: URL): boolean {
    return isLoopback(hostname) || (this.#options.allow ?? []).includes(hostname)
  }

  async #request({ id, url, body, attempt, at, signing }: Delivery, target: URL, signal: AbortSignal) {
    const address = new URL(target)
    const { username, password } = new URL(url)
    address.username = ''
    address.password = ''
    const user = `${decoded(username)}:${decoded(password)}`
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'user-agent': 'certify-mock',
      // Nothing is kept open: there is no telling whether another event will follow.
      connection: 'close',
      [EVENT_ID_HEADER]: id,
      'x-certify-attempt': String(attempt),
      ...(user !== ':' && { authorization: `Basic ${base64(user)}` }),
      ...(this.#signing !== 'none' &&
        (await standardWebhook(this.#signing.standardWebhooks, { id, body, at, signing }))),
    }
    return new Request(address, { method: 'POST', headers, body, redirect: 'manual', signal })
  }
}

/** What comes of some work, or the end of the signal where that is first. */
async function ended<Value>(start: () => Value | Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted()
  return new Promise<Value>((resolve, reject) => {
    const end = (): void => reject(new Error('ended by the mock'))
    const done = (): void => signal.removeEventListener('abort', end)
    signal.addEventListener('abort', end)
    Promise.resolve(start()).finally(done).then(resolve, reject)
  })
}

function notContacted(url: string, { host }: URL): string {
  const { host: original } = new URL(url)
  return host === original
    ? `${host} was not contacted: it is no loopback address. Map it to one (certify mock --map-callback, callbacks.hosts), or allow it (callbacks.allow).`
    : `${original} is mapped to ${host}; ${host} was not contacted: it is no loopback address and not allowed by callbacks.allow.`
}

/** Percent-encoded text, decoded; as it is where it is not percent-encoded. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
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
