import { expect, test } from 'vitest'
import type { MockServer } from '../../mock-server/contract/mock-server.ts'
import { type BehaviourSwitches, createMockServer, type Duration, type MockSnapshot } from '../../mock-server/index.ts'
import { CallbackSender } from '../../mock-server/sandbox/callbacks/sender.ts'
import { invite } from './calls.ts'
import { createReceiver } from './receiver.ts'

const HOOK = 'https://app.example/hook'

async function control(mock: MockServer, way: string, body: unknown): Promise<{ status: number; text: string }> {
  const [method = '', path = ''] = way.split(' ')
  const headers = { 'content-type': 'application/json' }
  const init = { method, headers, body: JSON.stringify(body) }
  const response = await mock.fetch(`${mock.baseUrl}/__mock${path}`, init)
  return { status: response.status, text: await response.text() }
}

const delivery = { id: 'evt_1', url: HOOK, body: '{}', attempt: 1, at: 0, signing: 'true' } as const

test.each(['whsec_A', 'whsec_AA=', 'AAAAA'])('the secret %s decodes to no key, so it is refused', async (secret) => {
  const callbackSigning = { standardWebhooks: secret }
  const mock = createMockServer()
  const { status, text } = await control(mock, 'PATCH /behaviour', { callbackSigning })
  expect(status).toBe(400)
  expect(text).toContain("callbackSigning has to be none, or { standardWebhooks: 'whsec_' and base64 }")
  expect(mock.behaviour.callbackSigning).toBe('none')
  expect(() => createMockServer({ behaviour: { callbackSigning } })).toThrow('callbackSigning has to be none')
  expect(() => createMockServer({ world: { behaviour: { callbackSigning } } })).toThrow('callbackSigning')
})

test.each([
  ['a key that cannot be decoded', { standardWebhooks: 'whsec_A' }, HOOK],
  ['an address that is no URL', 'none', 'nowhere'],
] as const)('a callback with %s is an attempt that failed', async (_what, callbackSigning, url) => {
  const { deliver, received } = createReceiver()
  const result = await new CallbackSender({ deliver }, { callbackSigning }).send({ ...delivery, url })
  expect(result).toMatchObject({ error: expect.any(String), blocked: false })
  expect(received).toEqual([])
})

test.each(['callback', 'invite'])(
  'a snapshot in which the address of a %s is no URL is refused whole',
  async (place) => {
    const mock = createMockServer()
    const { inviteId } = await invite(mock, { callbackUrl: HOOK })
    mock.callbacks.pause()
    mock.open(inviteId).fail()
    const { worldId } = mock
    const before = mock.snapshot()
    const state = JSON.parse(JSON.stringify(before)) as {
      world: { rows: { invites: { callbackUrl: string }[] } }
      callbacks: { log: { url: string }[] }
    }
    if (place === 'callback') for (const event of state.callbacks.log) event.url = 'nowhere'
    else for (const row of state.world.rows.invites) row.callbackUrl = 'nowhere'
    const { status, text } = await control(mock, 'PUT /state', state)
    expect([status, text]).toEqual([400, expect.stringContaining('This is not a snapshot that this version can read')])
    expect(() => mock.restore(state as unknown as MockSnapshot)).toThrow('not a snapshot')
    expect([mock.worldId, mock.snapshot()]).toEqual([worldId, { ...before, world: expect.anything() }])
  },
)

const TOO_LONG: Duration[] = ['99999999999d', '365001d', `${'9'.repeat(400)}d` as Duration, 365_000 * 86_400_000 + 1]

test.each(TOO_LONG)('a length of time of %s is refused wherever one is given', async (long) => {
  const mock = createMockServer()
  const settings: Partial<BehaviourSwitches>[] = [
    { callbackRetries: ['1s', long] },
    { certificationValidity: long },
    { rateLimit: { requests: 1, per: long } },
  ]
  for (const setting of settings) {
    expect(() => mock.setBehaviour(setting)).toThrow('at most 365000d')
    expect((await control(mock, 'PATCH /behaviour', setting)).status).toBe(400)
  }
  expect(() => mock.faults.add({ event: 'any', fault: { delay: long } })).toThrow('at most 365000d')
  expect(await control(mock, 'POST /clock/advance', { by: long })).toMatchObject({
    status: 400,
    text: expect.stringContaining('at most 365000d'),
  })
})

test('a thousand years, and a part of a millisecond, are lengths of time', async () => {
  const { deliver } = createReceiver(500, 500)
  const behaviour = { callbackRetries: ['365000d', 1e-7], certificationValidity: '365000d' } as const
  const mock = createMockServer({ now: '2030-03-01T09:30:00.000Z', behaviour, callbacks: { deliver } })
  mock.open((await invite(mock, { callbackUrl: HOOK })).inviteId).pass()
  await mock.settle()
  expect(mock.callbacks.list()).toMatchObject([{ status: 'waiting', nextAttemptAt: expect.stringMatching(/^3029-/) }])
  await mock.clock.advance('365000d')
  expect(mock.callbacks.list()).toMatchObject([{ status: 'delivered' }])
})
