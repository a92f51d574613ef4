import { STATE_PATH, WORLD_PATH } from '../contract/paths.ts'

/** A request of any runtime. Header names are in any case; `body` is `null` where it could not be read. */
export interface PlainRequest {
  readonly method: string
  /** The path below the mock's base, with the query string: `/api/developer/graphql`. */
  readonly target: string
  header(name: string): string | null
  readonly body: string | null
  readonly unreadable?: 'too-large' | 'not-utf-8'
}

export interface PlainAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * The outcome of a request: an answer, half an answer, or none. Only a fault makes it anything but a whole answer. `site` is
 * a request for the page or the control API, which are asynchronous.
 */
export type Outcome =
  | { readonly kind: 'site'; readonly respond: (signal: AbortSignal) => Promise<Response> }
  | { readonly kind: 'answer'; readonly answer: PlainAnswer; readonly delayMs?: number }
  | BrokenAnswer
  | { readonly kind: 'cut' }
  | { readonly kind: 'reset' }
  | { readonly kind: 'hang' }

/** Half of an answer arrives: then nothing more, or the end of the connection. */
export interface BrokenAnswer {
  readonly kind: 'stall' | 'truncate'
  readonly answer: PlainAnswer
}

/** What a request would execute. */
export interface Selected {
  /** The name of its API key; `null` where there is none or it is unknown. */
  readonly key: string | null
  readonly operations: readonly SelectedOperation[]
}

export interface SelectedOperation {
  readonly name: string
  readonly email: string | null
}

/** The body of a request, decoded. */
export function bodyOf(bytes: Uint8Array, target: string): Pick<PlainRequest, 'body' | 'unreadable'> {
  if (bytes.byteLength > maxBodyBytes(target)) return { body: null, unreadable: 'too-large' }
  try {
    return { body: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch {
    return { body: null, unreadable: 'not-utf-8' }
  }
}

/** The half of a body that arrives in the faults `stall` and `truncate`. */
export function firstHalf(body: string): Uint8Array {
  const bytes = new TextEncoder().encode(body)
  return bytes.subarray(0, bytes.byteLength / 2)
}

export const MAX_BODY_BYTES: number = 1024 * 1024

/** The largest body that is read for this target, in bytes. A state or a world may be larger than a request. */
export function maxBodyBytes(target: string): number {
  return target.endsWith(STATE_PATH) || target.endsWith(WORLD_PATH) ? 64 * MAX_BODY_BYTES : MAX_BODY_BYTES
}
