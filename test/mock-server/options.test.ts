import { expect, test } from 'vitest'
import type { BehaviourSwitches, Duration, MockServerOptions } from '../../mock-server/index.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { controlText, invite } from './calls.ts'

test.each<[object, RegExp]>([
  [{ nonsense: 1 }, /the mock has no nonsense; there are baseUrl, seed/],
  [{ callbacks: { host: {} } }, /callbacks has no host\. Did you mean hosts\?/],
  [{ world: { track: [] } }, /a world has no track/],
  [{ callbacks: { hosts: { 'app.example': 'http://127.0.0.1:3000' } } }, /"app.example" is not an origin/],
  [{ callbacks: { hosts: { 'https://app.example': 'localhost:3000' } } }, /"localhost:3000" is not an origin/],
  [{ behaviour: { pendingInvite: 'deny' } }, /behaviour.pendingInvite must be allow, refuse, return-existing/],
  [{ behaviour: { certificationValidity: '2y' } }, /certificationValidity must be a length of time/],
  [{ behaviour: { rateLimit: { requests: 1, per: '1 hour' } } }, /rateLimit.per must be a length of time/],
  [{ behaviour: { callbackRetries: ['1 s'] } }, /callbackRetries\[0\] must be a length of time/],
  [{ behaviour: { errorStatus: 500 } }, /errorStatus must be 200, 400/],
  [{ callbacks: { timeoutMs: 2 ** 31 } }, /callbacks.timeoutMs must be at most 2147483647/],
])('invalid options are refused: %j', (options, message) => {
  expect(() => createMockServer(options as MockServerOptions)).toThrow(message)
})

test('a switch set to undefined counts as left out', async () => {
  const mock = createMockServer({ behaviour: { pendingInvite: undefined } as object })
  await invite(mock)
  await invite(mock)
  expect(mock.invites).toHaveLength(2)
})

test('the clock cannot go where what follows from its time could not be written, and stays as it was', async () => {
  expect(() => createMockServer({ now: new Date(8.64e15) })).toThrow('cannot go beyond the year 9999')
  const mock = createMockServer({ now: '9998-01-01T00:00:00Z', callbacks: { deliver: () => new Response() } })
  mock.open((await invite(mock, { callbackUrl: 'https://app.example/hook' })).inviteId).pass()
  mock.clock.follow()
  const before = mock.snapshot()
  await expect(mock.clock.advance('200000000d')).rejects.toThrow('cannot go beyond')
  for (const [route, body] of [
    ['PUT /clock', { frozen: true, now: '+275760-09-13T00:00:00.000Z' }],
    ['PUT /clock', { frozen: true, now: '+010000-01-01T00:00:00.000Z' }],
    ['POST /clock/advance', { by: '731d' }],
    ['PUT /state', { ...before, world: { ...Object(before.world), clock: { now: 8.64e15, frozen: true } } }],
  ] as const) {
    expect((await controlText(mock, route, body)).status).toBe(400)
    expect(mock.clock.frozen).toBe(false)
  }
  await mock.clock.freeze('9999-12-31T23:59:59.999Z')
  await invite(mock, { candidate: { email: 'grace@example.com' } })
  expect((await mock.fetch(`${mock.baseUrl}/invites`, { headers: { accept: 'text/html' } })).status).toBe(200)
})

const TOO_LONG: Duration[] = ['99999999999d', '365001d', `${'9'.repeat(400)}d` as Duration, 365_000 * 86_400_000 + 1]

test.each(TOO_LONG)('a duration of $0 is refused everywhere', async (long) => {
  const mock = createMockServer()
  const settings: Partial<BehaviourSwitches>[] = [
    { callbackRetries: ['1s', long] },
    { certificationValidity: long },
    { rateLimit: { requests: 1, per: long } },
  ]
  for (const setting of settings) {
    expect(() => mock.setBehaviour(setting)).toThrow('at most 365000d')
    expect((await controlText(mock, 'PATCH /behaviour', setting)).status).toBe(400)
  }
  expect(() => mock.faults.add({ event: 'any', fault: { delay: long } })).toThrow('at most 365000d')
  expect(await controlText(mock, 'POST /clock/advance', { by: long })).toMatchObject({
    status: 400,
    text: expect.stringContaining('at most 365000d'),
  })
})
