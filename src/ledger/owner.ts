import { hostname, uptime } from 'node:os'

/* By how much the moment when a machine started may seem to differ. No machine starts twice within that time. */
const SAME_START_MS = 2000

/** Who sends: this process on this machine, told apart from whoever gets its number later or after the machine's next start. */
export function newOwner(): string {
  return JSON.stringify([hostname(), process.pid, crypto.randomUUID(), machineStartedAt()])
}

/**
 * Whether an owner is certainly gone: a process of this machine that does not run any more. A wrong answer costs nothing
 * but patience: what seems alive is waited for until its lease ends, and what seems gone becomes unknown and is not sent again.
 */
export function isGone(owner: string): boolean {
  const [host, pid] = JSON.parse(owner) as [string, number]
  if (host !== hostname() || pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as { code?: unknown }).code === 'ESRCH'
  }
}

/** Whether an owner began on this machine, and the machine has not been started again since: then nothing that it wrote is lost. */
export function sawThisStart(owner: string): boolean {
  const [host, , , startedAt] = JSON.parse(owner) as [string, number, string, number | undefined]
  return host === hostname() && startedAt !== undefined && Math.abs(startedAt - machineStartedAt()) < SAME_START_MS
}

function machineStartedAt(): number {
  return Math.round(Date.now() - uptime() * 1000)
}
