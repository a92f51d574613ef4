import { expect, test } from 'vitest'
import { createMockServer, type MockRequest } from '../../../mock-server/index.ts'
import { callbackUrls } from '../../../src/callbacks/index.ts'
import { runCampaign, planCampaign } from '../../../src/campaign/index.ts'
import { type AdminSessionOptions, CertifyClient } from '../../../src/index.ts'
import { failureOf } from '../failing.ts'
import { all, clientOf, freshLedger, PACKAGE, QUIZ } from '../ledger/setting.ts'

const urls = callbackUrls({ baseUrl: 'https://app.example/certify', secrets: ['a secret of thirty-two characters'] })
const candidate = { email: 'ada@example.com' }

async function setting() {
  const received: MockRequest[] = []
  const deliver = (request: MockRequest) => {
    received.push(request)
    return new Response()
  }
  const mock = createMockServer({ now: '2030-01-01T00:00:00Z', callbacks: { deliver } })
  const references = async () => Promise.all(received.map(async ({ url }) => (await urls.read(url))?.reference))
  return { mock, withUrls: clientOf(mock, { callbacks: urls }), references }
}

test('every create gets a callback URL with the reference of the call', async () => {
  const { mock, withUrls, references } = await setting()
  const invite = await withUrls.invites.create({ quizId: QUIZ, candidate }, { reference: 'req-7' })
  mock.open(invite.challengeUrl).pass()
  const { invites } = await withUrls.packageInvites.create(
    { packageId: PACKAGE, candidate: { email: 'b@example.com' } },
    { reference: 'req-8' },
  )
  for (const { challengeUrl } of invites) mock.open(challengeUrl).fail()
  await mock.settle()
  expect(await references()).toEqual(['req-7', ...invites.map(() => 'req-8')])
})

test('with a ledger the token has the reference of the record, in a campaign too, and a repeated create keeps it', async () => {
  const { mock, references } = await setting()
  const ledger = await freshLedger()
  const guarded = clientOf(mock, { callbacks: urls, ledger })
  const invite = await guarded.invites.create({ quizId: QUIZ, candidate })
  expect(await guarded.invites.create({ quizId: QUIZ, candidate }, { ifInvited: 'reuse' })).toEqual(invite)
  const rows = [{ input: { quizId: QUIZ, candidate: { email: 'eve@example.com' } } }]
  const plan = await planCampaign(rows, { client: guarded })
  await all(runCampaign(plan))
  for (const { challengeUrl } of mock.invites) mock.open(challengeUrl).pass()
  await mock.settle()
  const recorded = (await all(ledger.list())).map(({ reference }) => reference)
  expect(recorded).toHaveLength(2)
  expect(new Set(await references())).toEqual(new Set(recorded))
})

test('a caller’s own callbackUrl is kept, and invalid input is refused by the client', async () => {
  const { mock, withUrls, references } = await setting()
  const own = { quizId: QUIZ, candidate, callbackUrl: 'https://own.example/x' }
  mock.open((await withUrls.invites.create(own)).challengeUrl).pass()
  await mock.settle()
  expect(await references()).toEqual([undefined])
  for (const input of [null, 'x', {}]) {
    expect(await failureOf(withUrls.invites.create(input as never))).toMatchObject({ code: 'INPUT_INVALID' })
  }
})

test('an admin session gets no callback URLs', () => {
  const { baseUrl, adminSession, fetch } = createMockServer()
  const options = { baseUrl, adminSession, fetch, callbacks: urls } as unknown as AdminSessionOptions
  expect(() => new CertifyClient(options)).toThrow('callbacks needs an API key')
})
