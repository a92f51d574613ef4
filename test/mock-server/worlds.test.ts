import { expect, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'

test('every start, reset, restore and session has its own worldId, in process and over HTTP, whatever the seed', async () => {
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
