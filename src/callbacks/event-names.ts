/**
 * Other names for the types of events and for their fields. The specification shows only the type
 * `certification.follow_up_claimed`, and no field names: every other name is our guess.
 *
 * @example
 * ```ts
 * const names = { 'certification.completed': 'attempt.finished', inviteId: 'invite_id' }
 * ```
 */
export type EventNames = { readonly [Name in EventName]?: string | undefined }

/** Every name that we guessed. The fields of `data` may also stand beside it. */
export type EventName =
  | 'certification.completed'
  | 'certification.follow_up_claimed'
  | (typeof ENVELOPE)[number]
  | 'inviteId'
  | 'quizId'
  | 'result'
  | 'validUntil'
  | 'kind'
  | 'originalInviteId'
  | 'followUpInviteId'
  | 'externalReference'

const ENVELOPE = ['id', 'type', 'occurredAt', 'data'] as const

/** The text of a field; `null` if it is missing or not a text. */
export function readName(body: unknown, name: EventName, names: EventNames): string | null {
  const place = (ENVELOPE as readonly string[]).includes(name) ? body : (member(body, names.data ?? 'data') ?? body)
  const value = member(place, names[name] ?? name)
  return typeof value === 'string' ? value : null
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined
}
