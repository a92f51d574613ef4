import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createMockServer, type MockServer, type MockServerOptions } from '../../../mock-server/index.ts'
import type { Clock } from '../../../src/clock.ts'
import { type ApiKeyOptions, CertifyClient } from '../../../src/index.ts'
import { recordedCreate } from '../../../src/ledger/create.ts'
import { INTERNALS } from '../../../src/internals.ts'
import { openLedger, type WholeLedger } from './whole.ts'

export { all } from './contract/samples.ts'

/** A folder of its own, until the test ends. */
export function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'certify-ledger-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A clock that stands still until a timer is awaited, then jumps to when that timer is due. */
export function standingClock(start = '2030-01-01T00:00:00Z') {
  let now = Date.parse(start)
  const waits: number[] = []
  return {
    waits,
    now: () => now,
    advance: (ms: number) => {
      now += ms
    },
    startTimer(ms: number, ring: () => void) {
      waits.push(ms)
      const timer = setImmediate(() => {
        now += ms
        ring()
      })
      return () => clearImmediate(timer)
    },
  }
}

export type StandingClock = ReturnType<typeof standingClock>

/** A ledger in a file of its own, closed at the end of the test. */
export async function freshLedger(
  clock: Clock = standingClock(),
  { path = join(ownFolder(), 'invites.ledger') }: { path?: string } = {},
): Promise<WholeLedger> {
  const ledger = await openLedger(path, { clock, busyTimeoutMs: 200 })
  onTestFinished(() => ledger.close().catch(() => {}))
  return ledger
}

export const QUIZ = 'quiz_react_beginner_state'
export const PACKAGE = 'pkg_react_beginner'
export const candidate = { name: 'Ada Byron', email: 'ada@example.com' }
export const DAY_MS = 24 * 60 * 60 * 1000

/** A client of a mock. */
export function clientOf(mock: MockServer, options: Partial<ApiKeyOptions> = {}): CertifyClient {
  return new CertifyClient({
    baseUrl: mock.baseUrl,
    apiKey: mock.apiKey,
    /* Not the mock itself, which would be a world of its own. */
    fetch: (url, init) => mock.fetch(url, init),
    account: 'acme',
    ...options,
  })
}

/** The fetch of a mock whose packages get a quiz after the first listing. */
export function firstListedWithout(mock: MockServer, quizId: string): MockServer['fetch'] {
  let isListed = false
  return async (url, init) => {
    const text = await (await mock.fetch(url, init)).text()
    const from =
      isListed || !JSON.stringify(init?.body).includes('PackageTracks') ? -1 : text.indexOf(`{"quizId":"${quizId}"`)
    isListed ||= from >= 0
    return new Response(from < 0 ? text : text.slice(0, from) + text.slice(text.indexOf('},', from) + 2))
  }
}

/** A ledger with some methods replaced. Its clients use the replacements too. */
export function changedLedger(ledger: WholeLedger, changes: Partial<WholeLedger>): WholeLedger {
  const changed: WholeLedger = { ...ledger, ...changes, creates: (client) => recordedCreate(changed, client) }
  return Object.assign(changed, { [INTERNALS]: changed })
}

/** A mock, a client of it, a ledger on the same day, and a client with that ledger. */
export async function guardedSetting(options: MockServerOptions = {}) {
  const clock = standingClock()
  const mock = createMockServer({ now: '2030-01-01T00:00:00Z', ...options })
  const client = clientOf(mock)
  const ledger = await freshLedger(clock)
  const guarded = clientOf(mock, { ledger, account: 'acme' })
  return { clock, mock, client, ledger, guarded }
}
