import { version } from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { CertifyClient, type Fetch } from '../../src/index.ts'
import { settle } from '../src/failing.ts'
import { createFetch } from '../../src/node/index.ts'
import { type IdleEnd, startBalancer } from './balancer.ts'

const BALANCER_MS = 1_000
const PAUSES = 25
/* Around the idle time of the balancer: from a tenth of it to twice. */
const PAUSES_MS = Array.from({ length: PAUSES }, (_each, index) => 100 + (index * 1_900) / (PAUSES - 1))

const FETCHES = { 'the global fetch': () => undefined, 'certify-sdk/node': () => createFetch() } as const

test.each<IdleEnd>(['forgets it', 'closes it'])(
  'behind a balancer that drops an idle connection and %s, certify-sdk/node leaves no create unknown',
  async (end) => {
    const unknown: Record<string, number> = {}
    for (const [name, fetchOf] of Object.entries(FETCHES)) unknown[name] = await countUnknown(fetchOf, end)
    console.log(`a balancer that ends an idle connection after ${BALANCER_MS} ms and ${end}, Node.js ${version}:`)
    for (const [name, count] of Object.entries(unknown)) console.log(`  ${name}: ${count} of ${PAUSES} creates unknown`)
    expect(unknown['certify-sdk/node']).toBe(0)
    /* Otherwise the balancer does not do what this test is about. */
    expect(unknown['the global fetch']).toBeGreaterThanOrEqual(end === 'forgets it' ? PAUSES / 4 : 0)
  },
)

/** The number of creates with an unknown outcome after a pause: each behind its own balancer, all concurrently. */
async function countUnknown(fetchOf: () => Fetch | undefined, end: IdleEnd): Promise<number> {
  const mock = createMockServer()
  const listener = await mock.listen()
  onTestFinished(() => listener.close())
  let reused = 0
  const outcomes = await Promise.all(
    PAUSES_MS.map(async (pauseMs, index) => {
      const balancer = await startBalancer(listener.url, BALANCER_MS, end)
      onTestFinished(() => balancer.close())
      const fetch = fetchOf()
      const client = new CertifyClient({ baseUrl: balancer.url, apiKey: mock.apiKey, ...(fetch && { fetch }) })
      const create = (email: string) =>
        client.invites.create({ quizId: 'quiz_react_beginner_state', candidate: { email } })
      await create(`first-${index}@example.com`)
      await sleep(pauseMs)
      const { error } = await settle(create(`second-${index}@example.com`))
      if (balancer.connections() === 1) reused += 1
      return error?.outcome ?? 'executed'
    }),
  )
  /* After a short pause, each fetch reuses the connection that it keeps. */
  expect(reused).toBeGreaterThan(0)
  return outcomes.filter((outcome) => outcome === 'unknown').length
}
