import { expect, test } from 'vitest'
import { planCampaign, runCampaign } from '../../../src/campaign/index.ts'
import { CertifyClient, type OnRequest } from '../../../src/index.ts'
import { withLedger } from '../../../src/ledger/index.ts'
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
  expect(await failureOf(guarded.invites.create(input))).toMatchObject({ code: 'CONFIG_INVALID' })
  expect([await all(ledger.list({ state: 'not-executed' })), sent]).toMatchObject([[{ code: 'CONFIG_INVALID' }], []])
  isBroken = false
  await guarded.invites.create(input)
  expect(mock.invites).toHaveLength(1)
})
