import { MAX_ANSWER_CHARACTERS } from '../contract/limits.ts'
import { EVENT_ID_HEADER, type MockCallbacks, RECEIVER_HOST } from '../contract/members.ts'
import type { MockCallbackOptions } from '../generated/contract.ts'
import { isLoopback } from './router.ts'
import { realClearTimeout, realFetch, realSetTimeout } from './unpatched-globals.ts'

export interface Delivery {
  readonly id: string
  readonly url: string
  readonly body: string
  /** 1 for the first attempt. */
  readonly attempt: number
}

/**
 * The result of an attempt: the status and the body of the response, or why there was none. `blocked`: nothing was contacted.
 * The headers that were sent have no password.
 */
export type DeliveryResult = { readonly requestHeaders?: Readonly<Record<string, string>> } & (
  | { readonly status: number; readonly response: string | null; readonly error?: never }
  | { readonly error: string; readonly blocked: boolean; readonly status?: never }
)

/** Where callbacks go instead of their own addresses: as the options say, until a tester changes it. */
export interface CallbackTargets {
  /** The address that stands in for the origin of every `callbackUrl`; `null` if there is none. */
  readonly deliverTo: string | null
  readonly hosts: Readonly<Record<string, string>>
  readonly allow: readonly string[]
}

/** Whatever is `undefined` stays as it is. */
type TargetChanges = { readonly [Name in keyof CallbackTargets]?: CallbackTargets[Name] | undefined }

/** Sends callbacks to their addresses, or to what a test puts in their place. */
export class CallbackSender {
  readonly #options: MockCallbackOptions
  #deliver: MockCallbackOptions['deliver']
  #targets: CallbackTargets
  #aborted = new AbortController()

  constructor(options: MockCallbackOptions) {
    this.#options = options
    this.#deliver = options.deliver
    this.#targets = targetsOf(options)
  }

  get targets(): CallbackTargets {
    return this.#targets
  }

  /** Changes where callbacks go, from now on. An address also replaces a handler. */
  setTargets({ deliverTo = this.#targets.deliverTo, hosts, allow }: TargetChanges): void {
    if (deliverTo !== this.#targets.deliverTo) this.#deliver = deliverTo === null ? this.#options.deliver : undefined
    this.#targets = { deliverTo, hosts: hosts ?? this.#targets.hosts, allow: allow ?? this.#targets.allow }
  }

  /** The host name that must be allowed before a callback to this address is sent; `null` if it may be sent. */
  blockedHost(url: string): string | null {
    const target = this.#targetOf(url)
    return this.#deliver !== undefined || this.#mayContact(target) ? null : target.hostname
  }

  /** Sends every callback to this origin, or passes it to this function, from now on. */
  deliverTo(target: Parameters<MockCallbacks['deliverTo']>[0]): void {
    if (typeof target !== 'function' && !(/^https?:\/\//.test(target) && URL.canParse(target))) {
      throw new Error(
        `callbacks.deliverTo: ${JSON.stringify(target)} is neither an address such as http://127.0.0.1:3000 nor a function.`,
      )
    }
    this.setTargets({ deliverTo: typeof target === 'function' ? null : target })
    this.#deliver = typeof target === 'function' ? target : undefined
  }

  /** Returns to delivering as the options say. */
  reset(): void {
    this.#deliver = this.#options.deliver
    this.#targets = targetsOf(this.#options)
  }

  /** Never rejects: whatever goes wrong is the result of the attempt. */
  async send(delivery: Delivery): Promise<DeliveryResult> {
    const { timeoutMs = 10_000 } = this.#options
    const late = new AbortController()
    const timer = realSetTimeout(() => late.abort(), timeoutMs)
    const signal = AbortSignal.any([late.signal, this.#aborted.signal])
    let requestHeaders: Readonly<Record<string, string>> = {}
    try {
      const headers = headersOf(delivery)
      /* Credentials for the receiver are secret. */
      requestHeaders = 'authorization' in headers ? { ...headers, authorization: '(hidden)' } : headers
      if (new URL(delivery.url).hostname === RECEIVER_HOST) return { status: 200, response: '', requestHeaders }
      const deliver = this.#deliver
      const target = deliver ? new URL(delivery.url) : this.#targetOf(delivery.url)
      if (!deliver && !this.#mayContact(target)) return { error: notContacted(delivery.url, target), blocked: true }
      const request = requestTo(target, { headers, body: delivery.body, signal })
      const response: Partial<Response> = Object(
        await unlessAborted(() => (deliver ? deliver(request) : realFetch(request)), signal),
      )
      if (response.status === undefined) {
        return { error: 'deliver returned no Response', blocked: false, requestHeaders }
      }
      return { status: response.status, response: await textOf(response as Response, signal), requestHeaders }
    } catch (error) {
      const reason = late.signal.aborted ? `no response within ${timeoutMs} ms` : reasonOf(error)
      return { error: reason, blocked: false, requestHeaders }
    } finally {
      realClearTimeout(timer)
    }
  }

  abort(): void {
    this.#aborted.abort()
    this.#aborted = new AbortController()
  }

  /** The address that is contacted: another one if its origin is mapped. */
  #targetOf(url: string): URL {
    const { origin, pathname, search } = new URL(url)
    const { deliverTo, hosts } = this.#targets
    const mapped = deliverTo ?? Object.entries(hosts).find(([host]) => new URL(host).origin === origin)?.[1]
    return mapped === undefined ? new URL(url) : new URL(mapped.replace(/(?<!\/)\/+$/, '') + pathname + search)
  }

  #mayContact({ hostname }: URL): boolean {
    return isLoopback(hostname) || this.#targets.allow.includes(hostname)
  }
}

function headersOf({ id, url, attempt }: Delivery): Record<string, string> {
  const { username, password } = new URL(url)
  const user = `${percentDecoded(username)}:${percentDecoded(password)}`
  return {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'certify-mock',
    // No connection is kept alive: another event may never come.
    connection: 'close',
    [EVENT_ID_HEADER]: id,
    'x-certify-attempt': String(attempt),
    ...(user !== ':' && { authorization: `Basic ${base64(user)}` }),
  }
}

function targetsOf({ hosts = {}, allow = [] }: MockCallbackOptions): CallbackTargets {
  return { deliverTo: null, hosts, allow }
}

function requestTo(target: URL, sent: { headers: Record<string, string>; body: string; signal: AbortSignal }): Request {
  const address = new URL(target)
  address.username = ''
  address.password = ''
  return new Request(address, { method: 'POST', redirect: 'manual', ...sent })
}

/** Resolves with what `start` returns; rejects as soon as the signal aborts. */
async function unlessAborted<Value>(start: () => Value | Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted()
  return new Promise<Value>((resolve, reject) => {
    const abort = (): void => reject(new Error('ended by the mock'))
    signal.addEventListener('abort', abort)
    Promise.resolve(start())
      .finally(() => signal.removeEventListener('abort', abort))
      .then(resolve, reject)
  })
}

/** The beginning of the body, of which no more is read; `null` if it cannot be read. The status alone acknowledges a callback. */
async function textOf({ body, bodyUsed }: Response, signal: AbortSignal): Promise<string | null> {
  if (bodyUsed) return null
  if (!body) return ''
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  try {
    while (text.length < MAX_ANSWER_CHARACTERS) {
      const { done, value } = await unlessAborted(() => reader.read(), signal)
      text += decoder.decode(value, { stream: !done })
      if (done) break
    }
    return text.slice(0, MAX_ANSWER_CHARACTERS)
  } catch {
    return null
  } finally {
    reader.cancel().catch(() => {})
  }
}

function notContacted(url: string, { host }: URL): string {
  const { host: original } = new URL(url)
  return host === original
    ? `${host} was not contacted: it is not a loopback address. Map it to one (certify mock --map-callback, callbacks.hosts), or allow it (callbacks.allow).`
    : `${original} is mapped to ${host}; ${host} was not contacted: it is not a loopback address and not allowed by callbacks.allow.`
}

/** The decoded text, or the text as it is if it is not percent-encoded. */
function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
}

/** Why there was no response: the platform's error code, if there is one. */
function reasonOf(error: unknown): string {
  const { cause } = error instanceof Error ? error : {}
  if (cause instanceof Error && 'code' in cause) return String(cause.code)
  return error instanceof Error ? error.message : String(error)
}
