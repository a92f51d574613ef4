import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { expect, inject, test } from 'vitest'
import { MOST_MEGABYTES, receive } from '../callbacks/survival.mjs'

/* Minified and compressed, without an inbox in a file. */
const MOST_BYTES = 6_200

const consumer = inject('consumer')

test('a receiver that is killed again and again handles every event in order, refuses all else, and needs little memory', async () => {
  const figures = await receive({ candidates: 60, kills: 4 })
  const none = { unhandled: 0, foreign: 0, disordered: 0, problems: [], wrong: [] }
  expect(figures).toMatchObject({ ofCandidates: 180, handled: figures.events, ...none })
  expect(figures.peakMb).toBeLessThanOrEqual(MOST_MEGABYTES)
  expect(figures.kinds).toMatchObject({
    slow: { answers: { 200: expect.any(Number) } },
    together: { answers: { 200: expect.any(Number) } },
    'never ends': { answers: { 408: expect.any(Number) } },
    'forged token': { answers: { 404: expect.any(Number) } },
    'other type': { answers: { 415: expect.any(Number) } },
    'no UTF-8': { answers: { 400: expect.any(Number) } },
    'no JSON': { answers: { 400: expect.any(Number) } },
    'empty POST': { answers: { 200: expect.any(Number) } },
  })
  expect(figures.repeated).toBeLessThanOrEqual(4 * 8)
})

test(`without an inbox in a file the callbacks are at most ${MOST_BYTES} bytes, and use nothing of Node.js`, async () => {
  const bundle = await rolldown({
    input: join(consumer, 'node_modules/certify-sdk/dist/callbacks/index.js'),
    platform: 'browser',
  })
  const { output } = await bundle.generate({ minify: true, format: 'esm' })
  await bundle.close()
  expect(output.map(({ type }) => type)).toEqual(['chunk'])
  const code = output.map((each) => (each.type === 'chunk' ? each.code : '')).join('')
  /* It looks for a `process` that can print a warning, and does without. */
  expect(code).not.toMatch(/\bfrom ?["']|\brequire\(|\bprocess\.|\bBuffer\b/)
  expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(MOST_BYTES)
})
