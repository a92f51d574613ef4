import type { SendRecord } from '../rules/record.ts'
import { currentProcess, type Process, type ProcessView } from './running-processes.ts'

/** The owner of sends: this process. The identifier is new for each ledger that it opens. */
export function newOwner({ self }: ProcessView = currentProcess()): string {
  return JSON.stringify({ id: crypto.randomUUID(), ...self })
}

/**
 * Whether an owner is certainly gone. That needs proof: it ran on this machine, since the last boot, in the same
 * namespace of pids, and its pid is free or belongs to another process. Any other owner keeps its lease to the end: one
 * in another container, from before a boot, of an earlier version of this package, or with too few known facts.
 */
export function isGone(
  owner: string,
  { self, isRunning, startOf, precisionMs }: ProcessView = currentProcess(),
): boolean {
  const { namespace, pid, started, ...other } = processOf(owner)
  if (!isSameStart(other, self)) return false
  if (namespace === undefined || namespace !== self.namespace || pid === undefined) return false
  if (!isRunning(pid)) return true
  const current = startOf(pid)
  return current !== undefined && started !== undefined && Math.abs(current - started) > precisionMs
}

/** Whether a send is `sending`, and its sender is gone or its lease is over. */
export function isLeaseOver(
  { state, leaseUntil, owner }: Pick<SendRecord, 'state' | 'leaseUntil' | 'owner'>,
  now: number,
): boolean {
  return state === 'sending' && (leaseUntil <= now || isGone(owner))
}

/* Another boot time proves nothing: containers and cloned machines can have the same host name. */
function isSameStart(one: Partial<Process>, other: Process): boolean {
  if (one.machine === undefined || one.machine !== other.machine) return false
  return Math.abs((one.bootedAt ?? 0) - (other.bootedAt ?? 0)) < SAME_START_MS
}

/* How much two readings of one boot time may differ. No machine boots twice in that time. */
const SAME_START_MS = 2000

/* Earlier versions wrote a list: it has none of these fields. */
function processOf(owner: string): Partial<Process> {
  try {
    return (JSON.parse(owner) ?? {}) as Partial<Process>
  } catch {
    return {}
  }
}
