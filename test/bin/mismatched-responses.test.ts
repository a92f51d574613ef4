import { expect, onTestFinished, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { candidates, createBulk, type Told } from './bulk.ts'
import { startRepeatingProxy } from './repeating-proxy.ts'

test.each([1, 4])(
  'bulk stops at a mismatched response and never reports the invite of another candidate: concurrency %i',
  async (concurrency) => {
    const mock = createMockServer({ now: '2030-01-01T00:00:00Z' })
    const listening = await mock.listen()
    onTestFinished(() => listening.close())
    const env = { CERTIFY_BASE_URL: await startRepeatingProxy(listening.url, 8) }
    const { bulk } = createBulk(mock)
    const run = () => bulk(candidates(20), ['--yes', '--concurrency', String(concurrency)], { env })
    const isTrue = ({ email, invites }: Told) =>
      invites.every(({ inviteId: id }) => mock.invites.find((each) => each.inviteId === id)?.candidate.email === email)
    const first = await run()
    expect(first.code).toBe(6)
    expect(first.rows.filter(({ code }) => code === 'RESPONSE_MISMATCHED')).toHaveLength(1)
    expect(first.stderr).toContain('belongs to another request')
    expect(first.rows.every(isTrue)).toBe(true)
    const again = await run()
    expect(again.rows.every(isTrue)).toBe(true)
    expect(new Set(mock.invites.map(({ candidate }) => candidate.email)).size).toBe(mock.invites.length)
    expect(mock.invites).toHaveLength(20)
  },
)
