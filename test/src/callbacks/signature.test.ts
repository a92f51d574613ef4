import { expect, test } from 'vitest'
import { createMockServer, type MockRequest, type MockServer } from '../../../mock-server/index.ts'
import { standardWebhooks } from '../../../src/callbacks/index.ts'
import { CertifyClient } from '../../../src/index.ts'
import { thrownBy } from '../failing.ts'

/* The vector of the Standard Webhooks project. */
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const headers = {
  'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  'webhook-timestamp': '1614265330',
  'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
}
const body = new TextEncoder().encode('{"test": 2432232314}')
const then = 1_614_265_330_000
const at = (now: number, secrets: readonly string[] = [secret]) => standardWebhooks({ secrets, now: () => now })

test('the published vector is genuine, with its secret written in both ways', async () => {
  expect(await at(then)(headers, body)).toBe(true)
  expect(await at(then, [secret.slice(6)])(headers, body)).toBe(true)
  expect(await at(then)(new Headers(headers), body)).toBe(true)
})

test.each([
  ['another body', headers, new TextEncoder().encode('{"test": 2432232315}')],
  ['another identifier', { ...headers, 'webhook-id': 'msg_x' }, body],
  ['another time', { ...headers, 'webhook-timestamp': '1614265331' }, body],
  ['a time that is no number', { ...headers, 'webhook-timestamp': 'now' }, body],
  ['no headers', {}, body],
  ['no signature', { ...headers, 'webhook-signature': '' }, body],
  [
    'a signature of another version',
    { ...headers, 'webhook-signature': 'v2,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=' },
    body,
  ],
  ['a signature that is no base64', { ...headers, 'webhook-signature': 'v1,!' }, body],
])('%s is refused', async (_what, given, bytes) => {
  expect(await at(then)(given, bytes)).toBe(false)
})

test('a delivery is accepted within five minutes of its time, in both directions', async () => {
  for (const late of [300_000, -300_000]) expect(await at(then + late)(headers, body)).toBe(true)
  for (const late of [300_001, -300_001]) expect(await at(then + late)(headers, body)).toBe(false)
})

test('one of several signatures by one of several secrets is enough', async () => {
  const others = ['whsec_plJ3nmyCDGBKInavdOK15jsl', secret]
  const signature = `v1,AAAA v2,x ${headers['webhook-signature']}`
  expect(await at(then, others)({ ...headers, 'webhook-signature': signature }, body)).toBe(true)
})

type Rule = Parameters<MockServer['faults']['add']>[0]

test.each<[string, Rule | undefined, boolean]>([
  ['as it is', undefined, true],
  ['with a wrong signature', { event: 'any', fault: 'bad-signature' }, false],
  ['with an old time', { event: 'any', fault: 'stale-timestamp' }, false],
])('a delivery of the mock that signs, %s, is genuine: %s', async (_how, fault, expected) => {
  const received: MockRequest[] = []
  const deliver = (request: MockRequest) => {
    received.push(request)
    return new Response()
  }
  const mock = createMockServer({
    behaviour: { callbackSigning: { standardWebhooks: secret } },
    callbacks: { deliver },
  })
  if (fault !== undefined) mock.faults.add(fault)
  const client = new CertifyClient({ baseUrl: mock.baseUrl, apiKey: mock.apiKey, fetch: mock.fetch })
  const quizId = 'quiz_react_beginner_state'
  const callbackUrl = 'https://app.example/certify'
  const invite = await client.invites.create({ quizId, candidate: { email: 'ada@example.com' }, callbackUrl })
  mock.open(invite.challengeUrl).pass()
  await mock.settle()
  const [request = new Request(callbackUrl)] = received
  expect(received).toHaveLength(1)
  const isGenuine = standardWebhooks({ secrets: [secret], now: () => mock.clock.now().getTime() })
  expect(await isGenuine(request.headers, new Uint8Array(await request.arrayBuffer()))).toBe(expected)
})

test.each([[[]], [['']], [['whsec_']], [['not base64 canary!']], ['canary' as unknown as string[]]])(
  'secrets that cannot be used are refused, without their values: %j',
  (secrets) => {
    const error = thrownBy(() => standardWebhooks({ secrets }))
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', issues: [{ path: 'secrets' }] })
    expect(String(error)).not.toContain('canary')
  },
)
