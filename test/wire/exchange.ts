import { type CertifyClient, isCertifyError } from '../../src/index.ts'
import type { Runtime } from '../../src/clock.ts'
import { clientBy, manualClock } from '../src/clock.ts'
import { openFetch } from './fetches.ts'
import type { Ended, Scenario, Told } from './scenario.ts'
import type { Service } from './service.ts'

/**
 * Makes one call with the default policy. On a kept connection a listing comes first. Delays take no time; an attempt
 * times out as soon as the service falls silent.
 */
export async function exchange(service: Service, scenario: Scenario, reference: string): Promise<Ended> {
  const { way, steps, afterListing, nameLength = 0 } = scenario
  const { fetch, close } = openFetch(way.fetch, way)
  const clock = stallClock()
  const record = service.expect(reference, { steps, onStall: clock.ring, ...(afterListing && { afterListing }) })
  const client = clientBy(clock.runtime, { baseUrl: service.url, apiKey: 'ck_1', ...(fetch && { fetch }) })
  try {
    if (way.keeps) await client.tracks.list({}, { reference: `${reference}-listing` })
    return { scenario, reference, record, told: await create(client, reference, nameLength) }
  } finally {
    clock.stop()
    close()
  }
}

/** Makes the call, and returns how it ended. */
export async function create(client: CertifyClient, reference: string, nameLength = 0): Promise<Told> {
  const candidate = { email: `${reference}@example.com`, name: 'x'.repeat(nameLength) }
  try {
    const { inviteId } = await client.invites.create({ quizId: `quiz_${reference}`, candidate }, { reference })
    return { outcome: 'created', inviteId }
  } catch (error) {
    if (!isCertifyError(error)) throw error
    return { outcome: error.outcome, code: error.code }
  }
}

/*
 * Time for the last bytes to arrive on this machine; then turns in which this process reads them, however busy it is.
 */
const SETTLING_MS = 5
const SETTLING_TURNS = 4
/* For a caller that still waits although its service never reported a stall. */
const STUCK_MS = 30_000

/** A clock on which delays take no time, and time-outs fire when told to, or if nothing else happens. */
export function stallClock(): { readonly runtime: Runtime; readonly ring: () => void; readonly stop: () => void } {
  const manual = manualClock()
  const limits = new Set<() => void>()
  const timers = new Set<NodeJS.Timeout>()
  /* Only the time-outs of the current attempt, not of one that has followed meanwhile. */
  const ringAfter = (turns: number, due: readonly (() => void)[]) => {
    if (turns > 0) setImmediate(ringAfter, turns - 1, due)
    else for (const ring of due) if (limits.has(ring)) ring()
  }
  const ringIn = (ms: number) => void timers.add(setTimeout(ringAfter, ms, SETTLING_TURNS, [...limits]))
  return {
    runtime: {
      ...manual,
      startTimer(ms, ring) {
        if (ms < 30_000) return manual.startTimer(ms, ring)
        limits.add(ring)
        ringIn(STUCK_MS)
        return () => limits.delete(ring)
      },
    },
    ring: () => ringIn(SETTLING_MS),
    stop() {
      for (const timer of timers) clearTimeout(timer)
    },
  }
}
