import { expect, test } from 'vitest'
import { planCampaign, runCampaign } from '../../../src/campaign/index.ts'
import { CertifyClient, type OnRequest } from '../../../src/index.ts'
import { createOnce, withLedger } from '../../../src/ledger/index.ts'
import { failureOf } from '../failing.ts'
import { all, candidate, guardedSetting, QUIZ } from './setting.ts'

const input = { quizId: QUIZ, candidate }

async function setUp(onRequest: OnRequest) {
  const { mock, ledger } = await guardedSetting()
  const sent: (string | undefined)[] = []
  const client = new CertifyClient({
    baseUrl: mock.baseUrl,
    apiKey: mock.apiKey,
    onRequest,
    fetch: (url, init) => {
      sent.push(init.headers['x-operation'])
      return mock.fetch(url, init)
    },
  })
  return { mock, ledger, client, sent, of: { account: 'acme', world: mock.worldId } }
}

test('the headers of onRequest reach the service through a ledger and through a campaign', async () => {
  const { client, ledger, sent, of } = await setUp(({ operation }) => ({ 'x-operation': operation }))
  await withLedger(client, ledger, of).invites.create(input)
  const other = { ...input, candidate: { email: 'grace@example.com' } }
  const plan = await planCampaign([{ input: other }], { client, ledger, ...of })
  await all(runCampaign(plan))
  expect(sent.filter((operation) => operation === 'invites.create')).toHaveLength(2)
  expect(sent).not.toContain(undefined)
})

test('a create that onRequest stopped is not executed in the ledger: it can be sent again', async () => {
  let isBroken = true
  const { client, ledger, mock, sent, of } = await setUp(() => {
    if (isBroken) throw new Error('mine')
  })
  const guarded = withLedger(client, ledger, of)
  const code = 'CREDENTIALS_UNAVAILABLE'
  expect(await failureOf(guarded.invites.create(input, { retry: false }))).toMatchObject({ code })
  expect([await all(ledger.list({ state: 'not-executed' })), sent]).toMatchObject([[{ code }], []])
  isBroken = false
  await guarded.invites.create(input)
  expect(mock.invites).toHaveLength(1)
})

test('a job whose key function fails is to be delivered again', async () => {
  let isSealed = true
  const { client, ledger, mock, of } = await setUp(() => {
    if (isSealed) throw new Error('vault is sealed')
  })
  const guarded = withLedger(client, ledger, of)
  const job = { reference: 'job-17', retry: false } as const
  expect(await createOnce(guarded, input, job)).toMatchObject({
    status: 'retry',
    error: { code: 'CREDENTIALS_UNAVAILABLE', outcome: 'not-executed' },
  })
  isSealed = false
  expect((await createOnce(guarded, input, job)).status).toBe('created')
  expect(mock.invites).toHaveLength(1)
})

test('a campaign whose key function fails for a while waits, and then sends every row', async () => {
  let calls = 0
  const { client, ledger, mock, of } = await setUp(() => {
    calls += 1
    if (calls > 4 && calls < 20) throw new Error('vault is sealed')
  })
  const emails = Array.from({ length: 9 }, (_each, index) => `c${index}@example.com`)
  const rows = emails.map((email) => ({ input: { quizId: QUIZ, candidate: { email } } }))
  const plan = await planCampaign(rows, { client, ledger, ...of })
  const events = await all(runCampaign(plan))
  expect(events.at(-1)).toMatchObject({ summary: { counts: { created: 9 }, stopped: undefined } })
  expect(mock.invites).toHaveLength(9)
})
