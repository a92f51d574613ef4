import { type Here, here, type Process } from './processes.ts'

/** The owner of sends: this process. The identifier tells two ledgers in one process apart. */
export function newOwner({ self }: Here = here()): string {
  return JSON.stringify({ id: crypto.randomUUID(), ...self })
}

/**
 * Whether an owner is certainly gone: a process of this machine, since its last start and with the pids that are valid
 * here, whose pid no process has, or another one. Everything else is waited for until its lease ends: a process of another
 * container, of an earlier start, of an earlier version of this package, and one of which too little can be read.
 */
export function isGone(owner: string, { self, isRunning, startOf, precisionMs }: Here = here()): boolean {
  const { namespace, pid, started, ...other } = processOf(owner)
  if (!isSameStart(other, self)) return false
  if (namespace === undefined || namespace !== self.namespace || pid === undefined) return false
  if (!isRunning(pid)) return true
  const current = startOf(pid)
  return current !== undefined && started !== undefined && Math.abs(current - started) > precisionMs
}

/* Another start is no proof of an end: containers and cloned machines share the name of their host. */
function isSameStart(one: Partial<Process>, other: Process): boolean {
  if (one.machine === undefined || one.machine !== other.machine) return false
  return Math.abs((one.bootedAt ?? 0) - (other.bootedAt ?? 0)) < SAME_START_MS
}

/* Where a start is a time, by how much it may seem to differ. No machine starts twice within it. */
const SAME_START_MS = 2000

/* Earlier versions wrote a list: it has none of these names. */
function processOf(owner: string): Partial<Process> {
  try {
    return (JSON.parse(owner) ?? {}) as Partial<Process>
  } catch {
    return {}
  }
}
