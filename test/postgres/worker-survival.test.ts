import { expect, inject, test } from 'vitest'
import { createDatabase } from './server.mjs'
import { survive } from './worker-survival.ts'

const isLong = process.env['WORKER_HARNESS'] === 'long'
const size = isLong ? { wishes: 20_000, workers: 4, kills: 200 } : { wishes: 800, workers: 4, kills: 8 }
const seed = Number(process.env['WORKER_SEED'] ?? Math.floor(Math.random() * 1_000_000))

test('workers that are killed while answers are lost invite nobody twice and lose nobody', async () => {
  process.stdout.write(`WORKER_SEED=${seed}\n`)
  const began = performance.now()
  const url = await createDatabase(inject('postgres').url)
  const { output, ...result } = await survive(url, { ...size, seed })
  const seconds = Math.round((performance.now() - began) / 1000)
  process.stdout.write(`${JSON.stringify({ ...size, ...result, seconds })}\n`)
  expect(result).toMatchObject({ duplicates: 0, falsehoods: [], rows: 0, killed: size.kills })
  expect(result.counts['created']).toBeGreaterThan(size.wishes * 0.7)
  expect(result.counts['unknown'] ?? 0).toBeLessThanOrEqual(result.ambiguous + result.killed * 8)
  for (const secret of ['example.com', 'Ada', new URL(url).password]) expect(output).not.toContain(secret)
}, 3_600_000)
