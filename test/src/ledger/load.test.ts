import { performance } from 'node:perf_hooks'
import { expect, test } from 'vitest'
import { Load } from '../../../src/ledger/load.ts'

/** As often as it takes until it looks again. */
const ask = (load: Load) => Array.from({ length: 32 }, () => load.isFull())

test('an event loop that does not come to rest is full, one that waited most of the time is not', async () => {
  const load = new Load()
  const busyUntil = performance.now() + 20
  while (performance.now() < busyUntil);
  expect(ask(load)).toEqual([...Array.from({ length: 31 }, () => false), true])
  /* As long as it takes until it was idle for more than it was busy. */
  await expect.poll(() => ask(load).at(-1), { interval: 20, timeout: 4000 }).toBe(false)
})
