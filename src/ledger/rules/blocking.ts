import type { Blocking, ClaimRequest, LedgerState } from './entry.ts'

/** The current state of a recorded send that shares a target with another. */
export interface RecordedSend {
  /** Higher for a later send. */
  readonly id: number
  readonly state: LedgerState
  readonly quizId: string | null
  readonly packageId: string | null
  /** Whether the link that it created, or may have created, has expired. */
  readonly isExpired: boolean
}

/** Why a send is refused, and by which recorded sends. */
export interface Blocked<Send> {
  readonly kind: Blocking['kind']
  readonly by: readonly Send[]
}

/**
 * Decides whether recorded sends block another one for the same candidate and quiz. An expired link blocks nothing. An
 * unknown outcome blocks until a person has checked, because its time may come from a wrong clock.
 *
 * @param although which kinds do not block
 * @returns `undefined` if nothing blocks it
 */
export function blockedBy<Send extends RecordedSend>(
  sends: readonly Send[],
  although: NonNullable<ClaimRequest['although']> = {},
): Blocked<Send> | undefined {
  const current = sends.filter((send) => !sends.some((later) => supersedes(later, send)))
  for (const [state, kind] of PRECEDENCE) {
    if ((kind === 'unknown' && although.unknown === true) || (kind === 'invited' && although.invited === true)) continue
    const by = current.filter((send) => send.state === state && !(state === 'created' && send.isExpired))
    if (by.length > 0) return { kind, by }
  }
  return undefined
}

/* A person sent the same again after an unknown outcome: either way, there is an invite now. */
function supersedes(later: RecordedSend, earlier: RecordedSend): boolean {
  return (
    later.state === 'created' &&
    earlier.state === 'unknown' &&
    later.id > earlier.id &&
    later.quizId === earlier.quizId &&
    later.packageId === earlier.packageId
  )
}

/* A running send decides first, then an unknown one, then an invite. */
const PRECEDENCE = [
  ['sending', 'in-flight'],
  ['unknown', 'unknown'],
  ['created', 'invited'],
] as const
