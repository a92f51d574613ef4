import type { Blocking, ClaimRequest } from './model.ts'
import { hasNothing, type StoredRecord } from './record.ts'

/** Why a create is refused, and by which records. */
export interface Blocked {
  readonly kind: Blocking['kind']
  readonly by: readonly StoredRecord[]
}

/**
 * Decides whether records block another create for the same candidate and quiz. An expired link blocks nothing. An
 * unknown outcome blocks until a person has checked, because its time may come from a wrong clock.
 *
 * @param records those that share a target with it, as they are now
 * @param options which kinds do not block
 * @returns `undefined` if nothing blocks it
 */
export function blockedBy(
  records: readonly StoredRecord[],
  now: number,
  { ifInvited, ifUnknown }: Pick<ClaimRequest, 'ifInvited' | 'ifUnknown'> = {},
): Blocked | undefined {
  const current = records.filter((record) => !records.some((later) => supersedes(later, record)))
  for (const [state, kind] of PRECEDENCE) {
    if ((kind === 'unknown' && ifUnknown === 'create') || (kind === 'invited' && ifInvited === 'create')) continue
    const by = current.filter((record) => record.state === state && !(state === 'created' && isExpired(record, now)))
    if (by.length > 0) return { kind, by }
  }
  return undefined
}

/**
 * Whether a record no longer affects a claim: it created nothing, or it has expired, and no unknown outcome is left.
 *
 * @param records all records of its candidate
 */
export function blocksNothing(record: StoredRecord, records: readonly StoredRecord[], now: number): boolean {
  if (hasNothing(record) || !isExpired(record, now)) return hasNothing(record)
  const { account, world } = record.scope
  const later = records.filter(
    ({ id, state, scope }) =>
      id === record.id || (state === 'created' && scope.account === account && scope.world === world),
  )
  return blockedBy(later, now)?.by.includes(record) !== true
}

/** Whether every link that was created with a record, or may have been, has expired. */
export function isExpired({ expiresAt }: StoredRecord, now: number): boolean {
  return expiresAt <= now
}

/* A person sent the same again after an unknown outcome: either way, there is an invite now. */
function supersedes(later: StoredRecord, earlier: StoredRecord): boolean {
  return (
    later.state === 'created' &&
    earlier.state === 'unknown' &&
    later.id > earlier.id &&
    later.quizId === earlier.quizId &&
    later.packageId === earlier.packageId
  )
}

/* A record in flight decides first, then an unknown one, then an invite. */
const PRECEDENCE = [
  ['sending', 'in-flight'],
  ['unknown', 'unknown'],
  ['created', 'invited'],
] as const
