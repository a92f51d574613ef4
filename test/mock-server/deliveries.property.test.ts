import { assert, asyncProperty, integer } from 'fast-check'
import { expect, test, vi } from 'vitest'
import type { MockServer } from '../../mock-server/contract/mock-server.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { behaviours, histories, optionsWith, play, type RuleSwitches } from './history.ts'

const RUNS = { numRuns: 20 }

vi.setConfig({ testTimeout: 30_000 })

test('whatever fails on the way, every event arrives: each once for all attempts, in the order in which it happened', async () => {
  const property = asyncProperty(behaviours, histories(40), integer(), async (behaviour, steps, seed) => {
    const { mock, sent } = mockWithFailures(behaviour, seed)
    for (const step of steps) await play(mock, step)
    await untilDelivered(mock)
    const events = mock.callbacks.list()
    expect(events.every(({ status }) => status === 'delivered')).toBe(true)
    const acknowledged = sent.filter(({ isAcknowledged }) => isAcknowledged)
    for (const { url, inviteId } of events) {
      const isInLane = (each: { url: string; inviteId: string }): boolean =>
        each.url === url && candidateOf(mock, behaviour, each.inviteId) === candidateOf(mock, behaviour, inviteId)
      const happened = events.filter(isInLane).map(({ id }) => id)
      expect(acknowledged.filter(({ id }) => happened.includes(id)).map(({ id }) => id)).toEqual(happened)
    }
    for (const { id, body } of sent) expect(body).toBe(events.find((event) => event.id === id)?.body)
  })
  await assert(property, RUNS)
})

test('a claim is sent before the result of the attempt that follows, and after the result that earned it', async () => {
  const property = asyncProperty(behaviours, histories(40), integer(), async (behaviour, steps, seed) => {
    const { mock, sent } = mockWithFailures(behaviour, seed)
    for (const step of steps) await play(mock, step)
    await untilDelivered(mock)
    const told = sent.filter(({ isAcknowledged }) => isAcknowledged).map(({ body }) => JSON.parse(body))
    const resultOf = (id: string): number => told.findIndex(({ data }) => data.inviteId === id)
    const claimOf = (id: string): number => told.findIndex(({ data }) => data.followUpInviteId === id)
    for (const { inviteId, callbackUrl, followUpOf } of mock.invites) {
      if (callbackUrl === null || followUpOf === null) continue
      const result = resultOf(inviteId)
      const places = [resultOf(followUpOf.inviteId), claimOf(inviteId), result < 0 ? told.length : result]
      expect(places).toEqual(places.toSorted((a, b) => a - b))
      expect(places[0]).toBeGreaterThanOrEqual(0)
    }
  })
  await assert(property, RUNS)
})

/** A mock whose callbacks fail about every other time: which attempts do hangs on the seed, the event and the attempt. */
function mockWithFailures(behaviour: RuleSwitches, seed: number) {
  const sent: { id: string; body: string; isAcknowledged: boolean }[] = []
  const deliver = async (request: Request): Promise<Response> => {
    const id = request.headers.get('x-certify-event-id') ?? ''
    const attempt = request.headers.get('x-certify-attempt') ?? ''
    const chance = hash(`${seed} ${id} ${attempt}`) % 4
    sent.push({ id, body: await request.text(), isAcknowledged: chance >= 2 })
    if (chance === 0) throw new Error('the connection was cut')
    return new Response(null, { status: chance === 1 ? 503 : 204 })
  }
  return { sent, mock: createMockServer({ ...optionsWith(behaviour), callbacks: { deliver } }) }
}

/** Lets all retries happen; an event that is given up is sent again. After so many rounds somebody is to look at it. */
async function untilDelivered(mock: MockServer): Promise<void> {
  for (let round = 0; round < 500; round += 1) {
    await mock.clock.advance('2h')
    const open = mock.callbacks.list().filter(({ status }) => status === 'given-up' || status === 'waiting')
    for (const { id, status } of open) if (status === 'given-up') mock.callbacks.redeliver(id)
    if (open.length === 0) return
  }
}

function candidateOf(mock: MockServer, behaviour: RuleSwitches, inviteId: string): string {
  const { email } = mock.open(inviteId).invite.candidate
  return behaviour.candidateIdentity === 'exact-email' ? email : email.toLowerCase()
}

function hash(text: string): number {
  let value = 0
  for (const character of text) value = (Math.imul(value, 31) + character.charCodeAt(0)) >>> 0
  return (value ^ (value >>> 13)) >>> 3
}
