/** A request, free of any runtime: header names in any case; `body` is `null` where it could not be read. */
export interface PlainRequest {
  readonly method: string
  /** From the mock's base on, with the query string: `/api/developer/graphql`. */
  readonly target: string
  header(name: string): string | null
  readonly body: string | null
  /** Why the body could not be read, where it could not. */
  readonly unreadable?: 'too-large' | 'not-utf-8'
}

/** An answer, free of any runtime. */
export interface PlainAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * What comes of a request: an answer, whole or broken off in the middle, or none at all. Only a fault makes it anything but
 * whole. `site`: a request for the page or the control API, which take their time.
 */
export type Outcome =
  | { readonly kind: 'site'; readonly received: (signal: AbortSignal) => Promise<Response> }
  | { readonly kind: 'answer'; readonly answer: PlainAnswer; readonly delayMs?: number }
  | BrokenAnswer
  | { readonly kind: 'cut' }
  | { readonly kind: 'reset' }
  | { readonly kind: 'hang' }

/** An answer of which half arrives: then nothing more, or the end of the connection. */
export interface BrokenAnswer {
  readonly kind: 'stall' | 'truncate'
  readonly answer: PlainAnswer
}

/** What a request selects, as far as that can be told without executing it. */
export interface Selected {
  /** The name of the API key that it carries; `null` where there is none or nobody knows it. */
  readonly key: string | null
  readonly operations: readonly SelectedOperation[]
}

/** An operation that a request selects, and the address of the candidate in it. */
export interface SelectedOperation {
  readonly name: string
  readonly email: string | null
}

/** A body as a request has it. */
export function bodyOf(bytes: Uint8Array, target: string): Pick<PlainRequest, 'body' | 'unreadable'> {
  if (bytes.byteLength > mostBytes(target)) return { body: null, unreadable: 'too-large' }
  try {
    return { body: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch {
    return { body: null, unreadable: 'not-utf-8' }
  }
}

/** The part of a body that arrives when an answer breaks off. */
export function firstHalf(body: string): Uint8Array {
  const bytes = new TextEncoder().encode(body)
  return bytes.subarray(0, bytes.byteLength / 2)
}

/** The largest body that is read, in bytes: 1 MiB. */
export const MAX_BODY_BYTES: number = 1024 * 1024

/** The largest body that is read for this target, in bytes. A whole world to be put in place may be larger than a request. */
export function mostBytes(target: string): number {
  return target.endsWith('/__mock/state') ? 64 * MAX_BODY_BYTES : MAX_BODY_BYTES
}
