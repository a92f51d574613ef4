import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { expect, inject, test } from 'vitest'

/* Minified and gzipped, without an inbox in a file. */
const MAX_BYTES = 6_200

const consumer = inject('consumer')

test(`without an inbox in a file, callbacks are at most ${MAX_BYTES} bytes and use nothing of Node.js`, async () => {
  const bundle = await rolldown({
    input: join(consumer, 'node_modules/certify-sdk/dist/callbacks/index.js'),
    platform: 'browser',
  })
  const { output } = await bundle.generate({ minify: true, format: 'esm' })
  await bundle.close()
  expect(output.map(({ type }) => type)).toEqual(['chunk'])
  const code = output.map((each) => (each.type === 'chunk' ? each.code : '')).join('')
  /* It may print a warning through a global `process`, and works without one. */
  expect(code).not.toMatch(/\bfrom ?["']|\brequire\(|\bprocess\.|\bBuffer\b/)
  expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(MAX_BYTES)
})
