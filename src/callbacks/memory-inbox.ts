import type { DueEvent, Inbox, InboxEvent, InboxResult, InboxRow } from './inbox.ts'

interface Stored {
  readonly event: InboxEvent
  state: InboxResult['state']
  dueAt: number
  leaseUntil: number
  failures: number
}

/* A delivery may be repeated for weeks. */
const KEPT_MS = 40 * 24 * 60 * 60 * 1000

/** An inbox in memory, for tests: its events are lost with the process. A handled event is kept for 40 days. */
export function createMemoryInbox(): Inbox {
  const events = new Map<string, Stored>()
  /* Waiting events, in their order. */
  const open = new Set<Stored>()

  /* The first waiting event of each reference: the others wait for it. */
  function* heads(): Generator<Stored> {
    const seen = new Set<string>()
    for (const stored of open) {
      const { reference } = stored.event
      if (seen.has(reference)) continue
      seen.add(reference)
      yield stored
    }
  }

  return {
    async append(event) {
      removeOld(events, event.receivedAt)
      if (events.has(event.key)) return false
      const { receivedAt: dueAt } = event
      const stored: Stored = { event, state: 'waiting', dueAt, leaseUntil: 0, failures: 0 }
      events.set(event.key, stored)
      open.add(stored)
      return true
    },
    async take(now, leaseMs) {
      for (const stored of heads()) {
        if (stored.dueAt > now || stored.leaseUntil > now) continue
        stored.leaseUntil = now + leaseMs
        return { ...stored.event, failures: stored.failures } satisfies DueEvent
      }
      return undefined
    },
    async settle(key, result) {
      const stored = events.get(key)
      if (stored === undefined) return
      stored.leaseUntil = 0
      if (result.state !== 'handled') stored.failures += 1
      stored.state = result.state
      if (result.state === 'waiting') stored.dueAt = result.dueAt
      else open.delete(stored)
    },
    async nextDueAt() {
      const times = Array.from(heads(), ({ dueAt, leaseUntil }) => Math.max(dueAt, leaseUntil))
      return times.length === 0 ? undefined : Math.min(...times)
    },
    async *list({ state } = {}) {
      for (const stored of events.values()) {
        const row: InboxRow = { ...stored.event, state: stored.state, failures: stored.failures }
        if (state === undefined || state === row.state) yield row
      }
    },
    async replay(key, now) {
      const stored = events.get(key)
      if (stored === undefined) return false
      Object.assign(stored, { state: 'waiting', dueAt: now, leaseUntil: 0, failures: 0 })
      open.add(stored)
      return true
    },
  }
}

/* The oldest come first. */
function removeOld(events: Map<string, Stored>, now: number): void {
  for (const [key, { event, state }] of events) {
    if (event.receivedAt > now - KEPT_MS) return
    if (state === 'handled') events.delete(key)
  }
}
