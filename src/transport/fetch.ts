/**
 * Sends a request: the part of the standard `fetch` that this client uses. It can be the global one, one with a proxy,
 * a mock's, or your own. It must honour `redirect: 'manual'` and `signal`.
 */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>

/** One request, as {@link Fetch} receives it. */
export interface FetchInit {
  method: 'POST'
  headers: Record<string, string>
  body: string
  redirect: 'manual'
  signal: RuntimeAbortSignal
  /** How long the request may take before it is aborted, in milliseconds. */
  timeoutMs?: number
  /** Whether the request may still be sent. Ask it again once there is a connection: connecting may have taken long. */
  maySend?: () => boolean
}

/** What {@link Fetch} resolves with. */
export interface FetchResponse {
  readonly status: number
  readonly ok: boolean
  readonly headers: { get(name: string): string | null }
  /** The body, to be read in chunks: a web stream or an iterable of bytes; null if there is none. */
  readonly body: unknown
}

/** An AbortSignal of any runtime. */
export interface AbortSignalLike {
  /** Whether it was aborted. */
  readonly aborted: boolean
  /** Why it was aborted. */
  readonly reason?: unknown
  /** Calls the listener when it is aborted. */
  addEventListener(type: 'abort', listener: () => void): void
  /** Does not call the listener any more. */
  removeEventListener(type: 'abort', listener: () => void): void
}

/** The runtime's own AbortSignal, if its types are loaded. With it the global `fetch` matches {@link Fetch}. */
export type RuntimeAbortSignal = typeof globalThis extends { AbortSignal: { prototype: infer Signal } }
  ? Signal
  : AbortSignalLike
