import { blockedBy, type RecordedSend } from './blocking.ts'
import type { LookedUp } from './entry.ts'

/**
 * What recorded sends mean for another one; `undefined` if there is nothing.
 *
 * @param sends those that share a subject with it, as they are now
 * @param read the details of a send that blocks it
 */
export function lookedUp<Send extends RecordedSend, Entry>(
  sends: readonly Send[],
  read: (send: Send) => readonly Entry[],
): LookedUp<Entry> | undefined {
  const blocked = blockedBy(sends)
  if (blocked === undefined) {
    return sends.some(({ state }) => state === 'created') ? { kind: 'expired', entries: [] } : undefined
  }
  const { kind, by } = blocked
  const isLapsed = kind === 'unknown' && by.every(({ isExpired }) => isExpired)
  return { kind, entries: by.flatMap(read), ...(isLapsed && { isLapsed }) }
}
