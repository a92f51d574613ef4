import { expect, test } from 'vitest'
import type { Fault, FaultRule } from '../../mock-server/generated/contract.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { invite } from './calls.ts'

/** Which of so many creates were hit, as a row of 0 and 1. */
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

test('a rule with a probability hits about so many, the same ones for the same seed, others for another', async () => {
  const rule: FaultRule = { probability: 0.3, fault: 503 }
  const [first, again, other] = [await hitsOf(rule), await hitsOf(rule), await hitsOf(rule, { seed: 'other' })]
  expect(again).toBe(first)
  expect(other).not.toBe(first)
  const share = first.replaceAll('0', '').length / first.length
  expect(share).toBeGreaterThan(0.2)
  expect(share).toBeLessThan(0.4)
})

test('with times, a rule with a probability is spent after so many hits', async () => {
  const row = await hitsOf({ probability: 0.5, times: 3, fault: 503 })
  expect(row.replaceAll('0', '')).toBe('111')
})

test('a request that chance spares is left to the rules behind', async () => {
  const mock = createMockServer()
  const [rare, sure] = [mock.faults.add({ probability: 0.01, fault: 503 }), mock.faults.add({ fault: 502 })]
  await invite(mock).catch(() => {})
  expect([rare.hits, sure.hits]).toEqual([0, 1])
})

test('reset begins the chances anew', async () => {
  const mock = createMockServer()
  const rows = []
  for (const _ of [1, 2]) {
    const handle = mock.faults.add({ probability: 0.5, fault: 503 })
    for (let request = 0; request < 20; request += 1) await invite(mock).catch(() => {})
    rows.push(handle.hits)
    mock.reset()
  }
  expect(rows[1]).toBe(rows[0])
})

test('a connection that is reset is a lost connection, in process and over HTTP', async () => {
  const mock = createMockServer()
  const listener = await mock.listen()
  for (const [send, endpoint] of [
    [mock.fetch, mock.endpoint],
    [fetch, listener.endpoint],
  ] as const) {
    mock.faults.add({ fault: 'reset' })
    const lost = send(endpoint, { method: 'POST', headers: { 'x-api-key': mock.apiKey }, body: '{}' })
    await expect(lost).rejects.toMatchObject({ message: 'fetch failed', cause: { code: 'ECONNRESET' } })
  }
  await mock.close()
})

test.each<[string, Fault]>([
  ['so many milliseconds', { delayMs: 30 }],
  ['some time between two', { delayMs: [30, 40] }],
])('an answer that is late by %s is the true one, after its effect', async (_, fault) => {
  const mock = createMockServer()
  const listener = await mock.listen()
  for (const baseUrl of [mock.baseUrl, listener.url]) {
    mock.faults.add({ fault })
    const began = performance.now()
    const send = baseUrl === mock.baseUrl ? mock.fetch : fetch
    const answer = send(`${baseUrl}/api/developer/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': mock.apiKey },
      body: '{"query":"{ __typename }"}',
    })
    expect(await (await answer).json()).toEqual({ data: { __typename: 'Query' } })
    expect(performance.now() - began).toBeGreaterThanOrEqual(28)
  }
  await mock.close()
})

test('who does not wait for a late answer is not kept waiting', async () => {
  const mock = createMockServer()
  mock.faults.add({ fault: { delayMs: 60_000 } })
  const signal = AbortSignal.timeout(10)
  await expect(mock.fetch(mock.endpoint, { method: 'POST', body: '{}', signal })).rejects.toThrow(/timeout/)
})

test.each([
  [{ fault: { delayMs: -1 } }, /delayMs is a number, 0 or more/],
  [{ fault: { delayMs: [5, 1] } }, /delayMs is a number, 0 or more/],
  [{ fault: { delayMs: 1, code: 'X' } }, /an error has no delayMs/],
  [{ fault: 503, probability: 0 }, /probability is a number above 0 and at most 1/],
])('an invalid rule is refused: %j', (rule, message) => {
  expect(() => createMockServer().faults.add(rule as never)).toThrow(message)
})
