import { hostname } from 'node:os'

/** Who sends: this process on this machine, told apart from whoever gets its number later. */
export function newOwner(): string {
  return JSON.stringify([hostname(), process.pid, crypto.randomUUID()])
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
