import { expect, onTestFinished, test } from 'vitest'
import { createMockServer, type MockServer } from '../../mock-server/index.ts'
import type { Fetch } from '../../src/index.ts'
import { candidates, createBulk, QUIZ } from './bulk.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const TODAY = '2030-01-01T00:00:00Z'
const today = Date.parse(TODAY)
const clockAt = (ms: number) => ({ now: () => today + ms })

/** The mock behind a proxy that replaces its `Date` header. */
function dating(mock: MockServer, date: string | null): Fetch {
  return async (url, init) => {
    const response = await mock.fetch(url, init)
    const headers = { get: (name: string) => (name === 'date' ? date : response.headers.get(name)) }
    return { status: response.status, ok: response.ok, headers, body: response.body }
  }
}

test('a run whose clock is behind the ledger sends nothing without --allow-clock-skew', async () => {
  const { bulk, mock, run, ledger } = createBulk()
  const ahead = { ...clockAt(15 * DAY_MS), fetch: dating(mock, null) }
  expect((await bulk(candidates(1), ['--yes'], ahead)).code).toBe(0)
  const behind = await bulk(candidates(3), ['--yes'])
  expect(behind.code).toBe(2)
  expect(behind.stderr).toContain('2030-01-16 00:00:00 UTC')
  expect(behind.stderr).toContain('2030-01-01 00:00:00 UTC')
  expect(behind.stderr).toContain('--allow-clock-skew')
  expect(mock.invites).toHaveLength(1)
  const invite = ['invites', 'create', '--quiz-id', QUIZ, '--email', 'x@example.com', '--ledger', ledger]
  expect(await run(invite)).toMatchObject({ code: 2, stderr: expect.stringContaining('--allow-clock-skew') })
  expect(mock.invites).toHaveLength(1)
  expect((await run([...invite, '--allow-clock-skew'])).code).toBe(0)
  /* The newest record now has the right time. */
  expect((await bulk(candidates(3), ['--yes'])).code).toBe(0)
  expect(mock.invites).toHaveLength(4)
})

test('against a mock whose clock was moved, a run warns and goes on', async () => {
  const mock = createMockServer()
  const { url } = await mock.listen({ port: 0 })
  onTestFinished(() => mock.close())
  await mock.clock.advance('15d')
  const { bulk } = createBulk(mock)
  const world = { now: Date.now, env: { CERTIFY_BASE_URL: url } }
  const { code, stderr, counts } = await bulk(candidates(1), ['--yes'], world)
  expect([code, counts['created'], stderr]).toEqual([0, 1, expect.stringMatching(/the clock of this mock is 360 h/)])
})
