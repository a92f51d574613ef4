import { byZlibOrStreams, decodeBody } from '../util/body.ts'

/** A candidate has finished an attempt. The specification does not show this event: its name and fields are guesses. */
export interface CertificationCompleted extends EventFacts {
  readonly type: 'certification.completed'
  /** The invite whose attempt it was. */
  readonly inviteId: string
  /** The quiz of the attempt. */
  readonly quizId: string | null
  /** `PASSED`, `FAILED`, or a value that this version does not know. */
  readonly result: 'PASSED' | 'FAILED' | (string & {}) | null
  /** When the certification ends, as received. */
  readonly validUntil: string | null
  /** Your own identifier, as you passed it to the create. */
  readonly externalReference: string | null
}

/** A candidate has claimed a retake or a level-up. Source: specification, part 6; the field names are guesses. */
export interface FollowUpClaimed extends EventFacts {
  readonly type: 'certification.follow_up_claimed'
  /** `retake`, `level-up`, or a value that this version does not know. */
  readonly kind: 'retake' | 'level-up' | (string & {}) | null
  /** The invite that the candidate had. */
  readonly originalInviteId: string
  /** The invite that was created by the claim. */
  readonly followUpInviteId: string
  /** Your own identifier, as you passed it to the create of the original invite. */
  readonly externalReference: string | null
}

/** Any other event, and any that lacks the identifier of its invite: see `data`. */
export interface UnknownEvent extends EventFacts {
  readonly type: 'unknown'
}

/** An event of the service. Check its `type`. */
export type CallbackEvent = CertificationCompleted | FollowUpClaimed | UnknownEvent

/** An event about an invite, as a ledger records it. */
export type InviteEvent = (CertificationCompleted | FollowUpClaimed) & {
  /** The same for every delivery of the event. */
  readonly key: string
  /** The reference of the callback URL. */
  readonly reference: string
  /** Unix milliseconds. */
  readonly receivedAt: number
}

/** The fields of every event. */
export interface EventFacts {
  /** The kind of the event, as this version knows it; `name` has it as received. */
  readonly type: string
  /** The type as received; empty if there is none. */
  readonly name: string
  /** The service's identifier of the event, the same in every delivery; `null` if there is none. */
  readonly id: string | null
  /** When it happened, as received. */
  readonly occurredAt: string | null
  /** The body as JSON; `undefined` if it is not JSON. */
  readonly data: unknown
  /** The body as received, without its content encoding. */
  readonly raw: Uint8Array
}

/** A received request: a Web `Request`, or its headers and body. */
export type ReceivedRequest =
  | { readonly headers: HeadersLike; readonly body: Uint8Array | string }
  | { readonly headers: HeadersLike; arrayBuffer(): Promise<ArrayBuffer> }

/** Web `Headers`, or a plain object as in Node.js. */
export type HeadersLike =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

/**
 * Reads an event. It never throws because of the content: anything it does not understand is an {@link UnknownEvent}.
 *
 * It does not check the token of the URL: see `callbackUrls`. The specification shows only the type
 * `certification.follow_up_claimed`, and no field names: every other name is a guess.
 *
 * @example
 * ```ts
 * const event = await parseEvent(request)
 * if (event.type === 'certification.completed') save(event.inviteId, event.result)
 * ```
 */
export async function parseEvent(request: ReceivedRequest): Promise<CallbackEvent> {
  const header = (name: string) => headerOf(request.headers, name)
  const given = 'arrayBuffer' in request ? new Uint8Array(await request.arrayBuffer()) : request.body
  const raw = typeof given === 'string' ? new TextEncoder().encode(given) : given
  const body = await decodeBody(raw, header('content-encoding'), MAX_BYTES, byZlibOrStreams).catch(() => undefined)
  return eventOf(body ?? raw, header)
}

/** The largest body of an event by default, also once it is decoded. */
export const MAX_BYTES = 262_144

/** A header by its lower-case name. */
export function headerOf(headers: HeadersLike, name: string): string | null {
  if (typeof headers.get === 'function') return (headers as { get(name: string): string | null }).get(name)
  const entry = Object.entries(headers).find(([key]) => key.toLowerCase() === name)
  const [value = null] = [entry?.[1]].flat()
  return typeof value === 'string' ? value : null
}

/* The headers that may identify a delivery: the one of Standard Webhooks, and the mock's. */
const ID_HEADERS = ['webhook-id', 'x-certify-event-id']

/** Reads an event from its body and its headers. */
export function eventOf(raw: Uint8Array, header: (name: string) => string | null): CallbackEvent {
  const data = jsonIn(raw)
  const body = ownMember(data, 'data') ?? data
  /* The fields of `data` may also be at the top level. */
  const read = (name: string) => textIn(ENVELOPE.has(name) ? data : body, name)
  const name = read('type') ?? ''
  const id = read('id') ?? ID_HEADERS.map(header).find((value) => value !== null && value !== '') ?? null
  const facts = { name, id, occurredAt: read('occurredAt'), data, raw }
  const externalReference = read('externalReference')
  const inviteId = read('inviteId')
  if (name === 'certification.completed' && inviteId !== null) {
    const [quizId, result, validUntil] = [read('quizId'), read('result'), read('validUntil')]
    return { type: 'certification.completed', inviteId, quizId, result, validUntil, externalReference, ...facts }
  }
  const [originalInviteId, followUpInviteId] = [read('originalInviteId'), read('followUpInviteId')]
  if (name === 'certification.follow_up_claimed' && originalInviteId !== null && followUpInviteId !== null) {
    const ids = { originalInviteId, followUpInviteId }
    return { type: 'certification.follow_up_claimed', kind: read('kind'), ...ids, externalReference, ...facts }
  }
  return { type: 'unknown', ...facts }
}

/** The invite that an event is about, and the follow-up that it introduces. */
export function invitesOf(event: CallbackEvent): readonly [inviteId?: string, followUpId?: string] {
  if (event.type === 'certification.completed') return [event.inviteId]
  return event.type === 'certification.follow_up_claimed' ? [event.originalInviteId, event.followUpInviteId] : []
}

const ENVELOPE: ReadonlySet<string> = new Set(['id', 'type', 'occurredAt'])

function textIn(value: unknown, name: string): string | null {
  const text = ownMember(value, name)
  return typeof text === 'string' ? text : null
}

function ownMember(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined
}

function jsonIn(raw: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(raw)) as unknown
  } catch {
    return undefined
  }
}
