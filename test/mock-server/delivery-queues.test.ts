import { expect, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { RandomNumbers } from '../../mock-server/world/seeded-random.ts'
import { invite } from './calls.ts'

const NOW = '2030-03-01T09:30:00.000Z'

test('a thousand events in 25 lanes, three in ten of which fail: none is lost, none is out of order, each has its identifier', async () => {
  const arrived: { lane: string; id: string; inviteId: string }[] = []
  const attempts = new Map<string, number>()
  const random = new RandomNumbers('three in ten')
  const mock = createMockServer({
    now: NOW,
    callbacks: {
      async deliver(request) {
        const { id, data } = (await request.json()) as { id: string; data: { inviteId: string } }
        attempts.set(id, (attempts.get(id) ?? 0) + 1)
        if (random.next() / 2 ** 32 < 0.3) return new Response(null, { status: 503 })
        arrived.push({ lane: request.url, id, inviteId: data.inviteId })
        return new Response(null, { status: 204 })
      },
    },
  })
  const created: string[][] = []
  for (let lane = 0; lane < 25; lane += 1) {
    const candidate = { email: `candidate-${lane}@candidate.test` }
    const callbackUrl = `https://app.example/${lane}`
    const ids: string[] = []
    for (let turn = 0; turn < 40; turn += 1) {
      const { inviteId } = await invite(mock, { candidate, callbackUrl })
      mock.open(inviteId).fail()
      ids.push(inviteId)
    }
    created.push(ids)
  }
  await mock.clock.advance('14d')
  for (const [lane, ids] of created.entries()) {
    const inLane = arrived.filter((each) => each.lane === `https://app.example/${lane}`)
    expect(inLane.map(({ inviteId }) => inviteId)).toEqual(ids)
  }
  expect(new Set(arrived.map(({ id }) => id)).size).toBe(1000)
  expect(Math.max(...attempts.values())).toBeGreaterThan(1)
})
