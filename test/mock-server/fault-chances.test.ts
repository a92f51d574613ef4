import { expect, test } from 'vitest'
import type { FaultRule } from '../../mock-server/generated/contract.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { invite } from './calls.ts'

/** Which of the creates were hit, as a string of 0 and 1. */
async function hitsOf(rule: FaultRule, { seed = 'certify', requests = 200 } = {}): Promise<string> {
  const mock = createMockServer({ seed })
  const handle = mock.faults.add(rule)
  let row = ''
  for (let request = 0; request < requests; request += 1) {
    const before = handle.hits
    await invite(mock).catch(() => {})
    row += String(handle.hits - before)
  }
  return row
}

test('a probability is met approximately, and reproducibly for a seed', async () => {
  const rule: FaultRule = { probability: 0.3, fault: 503 }
  const [first, again, other] = [await hitsOf(rule), await hitsOf(rule), await hitsOf(rule, { seed: 'other' })]
  expect(again).toBe(first)
  expect(other).not.toBe(first)
  const share = first.replaceAll('0', '').length / first.length
  expect(share).toBeGreaterThan(0.2)
  expect(share).toBeLessThan(0.4)
})

test('a request spared by chance is passed to the next rules', async () => {
  const mock = createMockServer()
  const [rare, sure] = [mock.faults.add({ probability: 0.01, fault: 503 }), mock.faults.add({ fault: 502 })]
  await invite(mock).catch(() => {})
  expect([rare.hits, sure.hits]).toEqual([0, 1])
})

test('aborting ends the wait for a delayed response', async () => {
  const mock = createMockServer()
  mock.faults.add({ fault: { delayMs: 60_000 } })
  const signal = AbortSignal.timeout(10)
  await expect(mock.fetch(mock.endpoint, { method: 'POST', body: '{}', signal })).rejects.toThrow(/timeout/)
})
