import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { createMockServer, type MockRequest } from '../../../mock-server/index.ts'
import { parseEvent } from '../../../src/callbacks/index.ts'
import { CertifyClient } from '../../../src/index.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const parse = (body: unknown) => parseEvent({ headers: {}, body: JSON.stringify(body) })

/* The requests about a candidate who fails, claims the retake and passes it. */
async function delivered() {
  const received: MockRequest[] = []
  const deliver = (request: MockRequest) => {
    received.push(request)
    return new Response(null, { status: 200 })
  }
  const mock = createMockServer({ callbacks: { deliver } })
  const client = new CertifyClient({ baseUrl: mock.baseUrl, apiKey: mock.apiKey, fetch: mock.fetch })
  const invite = await client.invites.create({
    quizId: 'quiz_react_beginner_state',
    candidate: { email: 'ada@example.com' },
    externalReference: 'req-7',
    callbackUrl: 'https://app.example/certify',
  })
  const challenge = mock.open(invite.challengeUrl)
  challenge.fail()
  const retake = challenge.claim('retake')
  mock.open(retake.challengeUrl).pass()
  await mock.settle()
  return { invite, received, followUpId: retake.inviteId }
}

test('the events of the mock are parsed', async () => {
  const { invite, received, followUpId } = await delivered()
  const events = await Promise.all(received.map((request) => parseEvent(request)))
  const { inviteId } = invite
  const common = { externalReference: 'req-7', id: expect.stringMatching(/^evt_/), occurredAt: expect.any(String) }
  expect(events).toMatchObject([
    { type: 'certification.completed', inviteId, result: 'FAILED', validUntil: null, ...common },
    {
      type: 'certification.follow_up_claimed',
      kind: 'retake',
      originalInviteId: inviteId,
      followUpInviteId: followUpId,
      ...common,
    },
    {
      type: 'certification.completed',
      inviteId: followUpId,
      result: 'PASSED',
      validUntil: expect.any(String),
      ...common,
    },
  ])
})

test('an event of another type is unknown, and keeps its type and its data', async () => {
  const body = { id: 'evt_1', type: 'invite.opened', data: { inviteId: 'inv_1' } }
  expect(await parse(body)).toMatchObject({ type: 'unknown', name: 'invite.opened', id: 'evt_1', data: body })
})

test.each([
  [{ type: 'certification.completed', data: {} }],
  [{ type: 'certification.completed', data: { inviteId: 7 } }],
  [{ type: 'certification.follow_up_claimed', data: { originalInviteId: 'inv_1' } }],
])('unknown without its identifiers: %j', async (body) => {
  expect(await parse(body)).toMatchObject({ type: 'unknown', name: body.type, data: body })
})

test('fields are also read from beside the type, and descriptive ones may be missing', async () => {
  expect(await parse({ type: 'certification.completed', inviteId: 'inv_1' })).toMatchObject({
    type: 'certification.completed',
    inviteId: 'inv_1',
    quizId: null,
    result: null,
    validUntil: null,
    externalReference: null,
    id: null,
  })
})

test.each([
  ['nothing', bytes('')],
  ['no JSON', bytes('<html>')],
  ['a number', bytes('7')],
  ['null', bytes('null')],
  ['a list', bytes('[{"type":"certification.completed"}]')],
  ['invalid UTF-8', Uint8Array.of(0x22, 0xff, 0x22)],
  ['the name of a prototype', bytes('{"__proto__":{"type":"certification.completed","inviteId":"x"}}')],
])('%s is an unknown event, not an exception, and its bytes are kept', async (_what, body) => {
  expect(await parseEvent({ headers: {}, body })).toMatchObject({ type: 'unknown', name: '', raw: body })
})

test('an encoded event is decoded; one that cannot be, or is too large then, is unknown', async () => {
  const headers = { 'content-encoding': 'gzip' }
  const body = gzipSync('{"type":"certification.completed","inviteId":"inv_1"}')
  const request = new Request('https://app.example', { method: 'POST', headers, body: new Uint8Array(body) })
  expect(await parseEvent(request)).toMatchObject({ type: 'certification.completed', inviteId: 'inv_1' })
  for (const broken of [body.subarray(0, 40), gzipSync(' '.repeat(300_000))]) {
    expect(await parseEvent({ headers, body: broken })).toMatchObject({ type: 'unknown', data: undefined, raw: broken })
  }
})

test('the delivery id is read from the body, else from a header in any spelling', async () => {
  const id = async (headers: Record<string, string | string[]>, body = '{}') => (await parseEvent({ headers, body })).id
  expect(await id({ 'Webhook-Id': 'msg_1' })).toBe('msg_1')
  expect(await id({ 'x-certify-event-id': ['evt_1'] })).toBe('evt_1')
  expect(await id({ 'webhook-id': 'msg_1' }, '{"id":"evt_2"}')).toBe('evt_2')
  const request = new Request('https://app.example', { method: 'POST', headers: { 'webhook-id': 'msg_2' }, body: '{}' })
  expect((await parseEvent(request)).id).toBe('msg_2')
})
