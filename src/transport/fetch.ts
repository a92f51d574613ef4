/**
 * What sends a request: the part of the standard `fetch` that this client uses, so that the global one, one behind a
 * proxy, a mock's or one of your own can be given. It has to honour `redirect: 'manual'` and `signal`.
 */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>

/** One request, as {@link Fetch} gets it. */
export interface FetchInit {
  method: 'POST'
  headers: Record<string, string>
  body: string
  redirect: 'manual'
  signal: RuntimeAbortSignal
}

/** What has to come back. */
export interface FetchResponse {
  readonly status: number
  readonly ok: boolean
  readonly headers: { get(name: string): string | null }
  /** The body, to be read in pieces: a web stream or an iterable of bytes; null where there is none. */
  readonly body: unknown
  /**
   * Drops the connection that the response came on. Called after every answer but a success: where it comes twice, the
   * next request on that connection would take it for its own. Optional: the global `fetch` has no such thing.
   *
   * @param isMismatched the response belonged to another request: what answers there cannot be trusted with any other
   */
  readonly discard?: ((isMismatched: boolean) => void) | undefined
}

/** An AbortSignal, of whatever runtime. */
export interface AbortSignalLike {
  readonly aborted: boolean
  readonly reason?: unknown
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** The runtime's own AbortSignal, where its types are loaded, so that the global `fetch` fits {@link Fetch}. */
export type RuntimeAbortSignal = typeof globalThis extends { AbortSignal: { prototype: infer Signal } }
  ? Signal
  : AbortSignalLike
