import { expect, test } from 'vitest'
import { planCampaign, runCampaign } from '../../../src/campaign/index.ts'
import type { ApiKeyOptions } from '../../../src/index.ts'
import { all, candidate, clientOf, guardedSetting, QUIZ } from './setting.ts'

const input = { quizId: QUIZ, candidate }

async function setUp(headers: ApiKeyOptions['headers']) {
  const { mock, ledger } = await guardedSetting()
  const sent: (string | undefined)[] = []
  const client = clientOf(mock, {
    ledger,
    headers,
    fetch: (url, init) => {
      sent.push(init.headers['x-operation'])
      return mock.fetch(url, init)
    },
  })
  return { mock, ledger, client, sent }
}

test('a headers function is called for every create of a client with a ledger and of a campaign', async () => {
  const { client, sent } = await setUp(({ operation }) => ({ 'x-operation': operation }))
  await client.invites.create(input)
  const other = { ...input, candidate: { email: 'grace@example.com' } }
  const plan = await planCampaign([{ input: other }], { client })
  await all(runCampaign(plan))
  expect(sent.filter((operation) => operation === 'invites.create')).toHaveLength(2)
  expect(sent).not.toContain(undefined)
})

test('a campaign waits while the headers function fails, and then sends every row', async () => {
  let calls = 0
  const { client, mock } = await setUp(() => {
    calls += 1
    if (calls > 4 && calls < 20) throw new Error('vault is sealed')
    return {}
  })
  const emails = Array.from({ length: 9 }, (_each, index) => `c${index}@example.com`)
  const rows = emails.map((email) => ({ input: { quizId: QUIZ, candidate: { email } } }))
  const plan = await planCampaign(rows, { client })
  const events = await all(runCampaign(plan))
  expect(events.at(-1)).toMatchObject({ summary: { counts: { created: 9 }, stopped: undefined } })
  expect(mock.invites).toHaveLength(9)
})
