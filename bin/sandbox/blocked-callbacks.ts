import type { MockServer } from '../../mock-server/index.ts'
import type { Context } from '../context.ts'

/* Many events may be blocked at once: the log is read once for all of them. */
const QUIET_MS = 100

/** Warns of each callback whose host is not allowed, sessions included. The path of its URL may be secret. */
export function warnOfBlockedCallbacks(mock: MockServer, { io, output }: Pick<Context, 'io' | 'output'>): void {
  const followed = new Set<MockServer>()
  const follow = (each: MockServer): void => {
    if (followed.has(each)) return
    followed.add(each)
    let known: ReadonlySet<string> = new Set()
    let isWaiting = false
    const read = async (): Promise<void> => {
      await io.sleep(QUIET_MS)
      isWaiting = false
      const blocked = each.callbacks.list().filter(({ status }) => status === 'blocked')
      const added = blocked.filter(({ id }) => !known.has(id))
      known = new Set(blocked.map(({ id }) => id))
      for (const { type, attempts } of added) await output.warn(`${type}: ${attempts.at(-1)?.error ?? 'blocked.'}`)
    }
    each.subscribe((parts) => {
      if (parts.includes('sessions')) each.sessions.forEach(follow)
      if (!parts.includes('callbacks') || isWaiting) return
      isWaiting = true
      void read()
    })
  }
  follow(mock)
  mock.sessions.forEach(follow)
}
