import { BODYLESS_STATUSES } from '../contract/faults.ts'
import type { World } from '../world/world.ts'

/** A request of any runtime, before its body is read. Header names are in any case. */
export interface RequestHead {
  readonly method: string
  /** The path below the mock's base, with the query string: `/api/developer/graphql`. */
  readonly target: string
  header(name: string): string | null
  /** Every header, with its name in lower case. */
  headers(): Readonly<Record<string, string>>
}

/** The body of a request; `null` if it could not be read. */
export interface RequestBody {
  readonly body: string | null
  readonly unreadable?: 'too-large' | 'not-utf-8'
}

/** Reads the body of a request, once. */
export type ReadBody = (maxBytes: number) => Promise<RequestBody>

export interface PlainRequest extends RequestHead, RequestBody {}

export interface PlainResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** What the endpoint did; absent from the responses of everything else. */
  readonly done?: Done
}

/** What the endpoint did with a request, for the log: the response itself may have another form. */
export interface Done {
  readonly operations: readonly SelectedOperation[]
  /** The first error. */
  readonly refusal: { readonly code: string; readonly message: string } | null
}

/** The reply to a request: a response, half a response, or none. Only a fault makes it anything but a whole response. */
export type Reply =
  | { readonly kind: 'response'; readonly response: PlainResponse; readonly delayMs?: number }
  | PartialResponse
  | { readonly kind: 'cut' }
  | { readonly kind: 'reset' }
  | { readonly kind: 'hang' }

/** Half of a response arrives: then nothing more, or the end of the connection. */
export interface PartialResponse {
  readonly kind: 'stall' | 'truncate'
  readonly response: PlainResponse
}

/** What a request would execute. */
export interface Selected {
  /** The name of its API key; `null` if there is none or it is unknown. */
  readonly key: string | null
  readonly operations: readonly SelectedOperation[]
}

export interface SelectedOperation {
  readonly name: string
  /** The address of the candidate, and the quiz or the package; `null` if the operation is not a create. */
  readonly email: string | null
  readonly subject: string | null
}

/** The body of a request, decoded. */
export function bodyOf(bytes: Uint8Array, maxBytes: number): RequestBody {
  if (bytes.byteLength > maxBytes) return { body: null, unreadable: 'too-large' }
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

/** The credentials of a request; `null` if it has none of that kind. */
export interface Credentials {
  readonly apiKey: string | null
  readonly sessionToken: string | null
}

/** What the operations of the service know about a request. */
export interface Context {
  readonly world: World
  readonly credentials: Credentials
  /** The address that links begin with. */
  readonly linkBase: string
}

/** What a gateway or a web server responds in place of the service. */
export function gatewayPage(status: number): PlainResponse {
  if (BODYLESS_STATUSES.has(status)) return { status, headers: {}, body: '' }
  const title = PHRASES.get(status) ?? String(status)
  return {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: `<!doctype html>\n<html lang="en"><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`,
  }
}

const PHRASES: ReadonlyMap<number, string> = new Map([
  [401, '401 Unauthorized'],
  [403, '403 Forbidden'],
  [429, '429 Too Many Requests'],
  [500, '500 Internal Server Error'],
  [502, '502 Bad Gateway'],
  [503, '503 Service Unavailable'],
  [504, '504 Gateway Timeout'],
])
