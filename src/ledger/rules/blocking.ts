import type { Blocking, ClaimRequest } from './entry.ts'
import type { SendRecord } from './record.ts'

/** Why a send is refused, and by which recorded sends. */
export interface Blocked {
  readonly kind: Blocking['kind']
  readonly by: readonly SendRecord[]
}

/**
 * Decides whether recorded sends block another one for the same candidate and quiz. An expired link blocks nothing. An
 * unknown outcome blocks until a person has checked, because its time may come from a wrong clock.
 *
 * @param sends those that share a target with it, as they are now
 * @param although which kinds do not block
 * @returns `undefined` if nothing blocks it
 */
export function blockedBy(
  sends: readonly SendRecord[],
  now: number,
  although: NonNullable<ClaimRequest['although']> = {},
): Blocked | undefined {
  const current = sends.filter((send) => !sends.some((later) => supersedes(later, send)))
  for (const [state, kind] of PRECEDENCE) {
    if ((kind === 'unknown' && although.unknown === true) || (kind === 'invited' && although.invited === true)) continue
    const by = current.filter((send) => send.state === state && !(state === 'created' && isExpired(send, now)))
    if (by.length > 0) return { kind, by }
  }
  return undefined
}

/** Whether every link that a send created, or may have created, has expired. */
export function isExpired({ expiresAt }: SendRecord, now: number): boolean {
  return expiresAt <= now
}

/* A person sent the same again after an unknown outcome: either way, there is an invite now. */
function supersedes(later: SendRecord, earlier: SendRecord): boolean {
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
