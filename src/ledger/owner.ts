import { readFileSync } from 'node:fs'
import { hostname, uptime } from 'node:os'

/** Who sends: this process on this machine, told apart from whoever gets its number later or after the machine's next start. */
export function newOwner(): string {
  return JSON.stringify([hostname(), process.pid, crypto.randomUUID(), startOfMachine()])
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
  const [host, , , start] = JSON.parse(owner) as [string, number, string, string | number | undefined]
  const current = startOfMachine()
  if (host !== hostname() || typeof start !== typeof current) return false
  return typeof start === 'string' ? start === current : Math.abs(Number(start) - Number(current)) < SAME_START_MS
}

/* Linux has a name for it. Elsewhere it is a time, and a clock that is set makes it another: what was held is unknown then. */
function startOfMachine(): string | number {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return Math.round(Date.now() - uptime() * 1000)
  }
}

/* By how much that time may seem to differ. No machine starts twice within it. */
const SAME_START_MS = 2000
