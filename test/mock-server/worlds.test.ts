import { expect, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { ask, CREATE, listTracks, QUIZ } from './calls.ts'

test('two hundred worlds in one process, all at once, never meet', async () => {
  const worlds = Array.from({ length: 200 }, (_, nth) => ({
    nth,
    mock: createMockServer({ seed: `world ${nth}`, now: `${2030 + (nth % 50)}-01-01T00:00:00Z` }),
  }))
  const play = async ({ nth, mock }: (typeof worlds)[number]): Promise<void> => {
    if (nth % 7 === 0) mock.faults.add({ times: 1, fault: 503 })
    for (let count = 0; count <= nth % 5; count += 1) {
      const input = { quizId: QUIZ, candidate: { email: `candidate-${nth}-${count}@candidate.test` } }
      const { status } = await ask(mock, CREATE, { input })
      expect(status).toBe(nth % 7 === 0 && count === 0 ? 503 : 200)
      await mock.clock.advance('1h')
    }
    if (nth % 3 === 0) mock.disableQuiz(QUIZ)
    if (nth % 11 === 0) mock.reset()
  }
  await Promise.all(worlds.map(play))
  const ids = worlds.flatMap(({ mock }) => mock.invites.map(({ inviteId }) => inviteId))
  expect(new Set(ids).size).toBe(ids.length)
  for (const { nth, mock } of worlds) {
    const hours = nth % 11 === 0 ? 0 : (nth % 5) + 1
    const count = nth % 11 === 0 ? 0 : (nth % 5) + 1 - (nth % 7 === 0 ? 1 : 0)
    expect(mock.invites.map(({ candidate }) => candidate.email.split('-')[1])).toEqual(Array(count).fill(String(nth)))
    expect(mock.outbox).toHaveLength(count)
    expect(mock.clock.now().toISOString()).toBe(`${2030 + (nth % 50)}-01-01T0${hours}:00:00.000Z`)
    const [react] = await listTracks(mock, { trackSlug: 'react' })
    const isDisabled = nth % 3 === 0 && nth % 11 !== 0
    expect(react?.packages.some(({ level }) => level === 'BEGINNER')).toBe(!isDisabled)
  }
})

test('each start, reset and restore has another worldId, in process and over HTTP, whatever the seed', async () => {
  const mock = createMockServer({ seed: 'same' })
  const seen = [createMockServer({ seed: 'same' }).worldId, mock.worldId]
  const snapshot = mock.snapshot()
  mock.reset()
  seen.push(mock.worldId)
  mock.restore(snapshot)
  seen.push(mock.worldId)
  const answer = await mock.fetch(`${mock.baseUrl}/__mock/world`)
  expect(await answer.json()).toEqual({ worldId: seen.at(-1) })
  const session = mock.openSession()
  seen.push(session.worldId)
  expect(await (await mock.fetch(`${session.baseUrl}/__mock/world`)).json()).toEqual({ worldId: session.worldId })
  expect(new Set(seen).size).toBe(5)
})
