import { expect, test } from 'vitest'
import { receive } from './survival.mjs'

test('a receiver that is killed repeatedly handles every event in order and refuses everything else', async () => {
  const figures = await receive({ candidates: 60, kills: 4 })
  const none = { unhandled: 0, foreign: 0, disordered: 0, problems: [], wrong: [] }
  expect(figures).toMatchObject({ ofCandidates: 180, handled: figures.events, ...none })
  expect(figures.kinds).toMatchObject({
    slow: { answers: { 200: expect.any(Number) } },
    together: { answers: { 200: expect.any(Number) } },
    'never ends': { answers: { 408: expect.any(Number) } },
    'forged token': { answers: { 404: expect.any(Number) } },
    'other type': { answers: { 200: expect.any(Number) } },
    encoded: { answers: { 200: expect.any(Number) } },
    'unknown encoding': { answers: { 415: expect.any(Number) } },
    bomb: { answers: { 413: expect.any(Number) } },
    'no UTF-8': { answers: { 400: expect.any(Number) } },
    'no JSON': { answers: { 400: expect.any(Number) } },
    'empty POST': { answers: { 200: expect.any(Number) } },
  })
  expect(figures.repeated).toBeLessThanOrEqual(4 * 8)
})
