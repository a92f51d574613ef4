import { expect, test } from 'vitest'
import type { MockServer } from '../../../mock-server/index.ts'
import { type CampaignEvent, planCampaign, runCampaign } from '../../../src/campaign/index.ts'
import type { ApiKeyOptions, CreateOptions, Fetch } from '../../../src/index.ts'
import { all, clientOf, DAY_MS, guardedSetting, QUIZ } from './setting.ts'

const EMAILS = ['ada@example.com', 'bob@example.com']

/* The service without its `date` header. */
const dateless =
  ({ fetch }: MockServer): Fetch =>
  async (url, init) => {
    const { status, ok, body } = await fetch(url, init)
    return { status, ok, body, headers: { get: () => null } }
  }
const unreachable = () => () => Promise.reject(Object.assign(new Error(), { code: 'ECONNREFUSED', syscall: 'connect' }))
/* It may not list packages. */
const inviteOnly = (mock: MockServer) => mock.apiKeys.find(({ name }) => name === 'invite')?.key ?? ''

interface Case {
  readonly is: string
  /** By how much the service's clock moves. Default: not at all. */
  readonly service?: '15d'
  readonly fetch?: (mock: MockServer) => Fetch
  readonly key?: (mock: MockServer) => string
  readonly client?: Partial<ApiKeyOptions>
  readonly call?: CreateOptions
  readonly ends: 'ALREADY_INVITED' | 'UNREACHABLE' | 'created'
  /** Before the two creates. */
  readonly queries: number
}

const CASES: readonly Case[] = [
  { is: 'only by the ledger’s clock blocks', ends: 'ALREADY_INVITED', queries: 1 },
  {
    is: 'only by the ledger’s clock blocks, even if a key may not query',
    key: inviteOnly,
    ends: 'ALREADY_INVITED',
    queries: 1,
  },
  { is: 'by both clocks does not block', service: '15d', ends: 'created', queries: 1 },
  {
    is: 'by the ledger’s clock does not block if the service tells no time',
    fetch: dateless,
    ends: 'created',
    queries: 1,
  },
  {
    is: 'by the ledger’s clock is not sent again while the service cannot be asked',
    fetch: unreachable,
    ends: 'UNREACHABLE',
    queries: 2,
  },
  { is: 'does not block with allowClockSkew', client: { allowClockSkew: true }, ends: 'created', queries: 0 },
  { is: 'does not matter with ifInvited: create', call: { ifInvited: 'create' }, ends: 'created', queries: 0 },
]

/** Invites two candidates, sets the ledger's clock 15 days ahead, and invites them again. */
async function inviteAgain({ service, fetch, key, client, call }: Case, isNewClient: boolean) {
  const { clock, ledger, mock } = await guardedSetting()
  let queries = 0
  let send: Fetch = mock.fetch
  const observed: Fetch = (url, init) => {
    if (!init.body.includes('mutation')) queries += 1
    return send(url, init)
  }
  const options = { ledger, fetch: observed, retry: false, ...client, ...(key && { apiKey: key(mock) }) } as const
  const first = clientOf(mock, options)
  const inviteAll = async (each: typeof first, how: CreateOptions = {}) => {
    const ends: string[] = []
    for (const email of EMAILS) {
      const created = each.invites.create({ quizId: QUIZ, candidate: { email } }, how)
      ends.push(
        await created.then(
          () => 'created',
          (error: { code: string }) => error.code,
        ),
      )
    }
    return ends
  }
  expect(await inviteAll(first)).toEqual(['created', 'created'])
  clock.advance(15 * DAY_MS)
  if (service !== undefined) await mock.clock.advance(service)
  send = fetch?.(mock) ?? mock.fetch
  const ends = await inviteAll(isNewClient ? clientOf(mock, options) : first, call)
  return { ends, queries, invites: mock.invites.length }
}

for (const who of ['a new client', 'a client in use']) {
  test.each(CASES.map((each) => [each.is, each] as const))(`for ${who}, an expired invite %s`, async (_is, each) => {
    const { ends, queries, invites } = await inviteAgain(each, who === 'a new client')
    expect(ends).toEqual([each.ends, each.ends])
    expect(invites).toBe(each.ends === 'created' ? 4 : 2)
    expect(queries).toBe(each.queries)
  })
}

test.each([
  ['after a create', /create/],
  ['after every response', /^/],
])('a campaign whose clock is set %s still invites a candidate whose invite has expired', async (_when, operations) => {
  const { clock, guarded, ledger, mock } = await guardedSetting()
  await guarded.invites.create({ quizId: QUIZ, candidate: { email: 'bob@example.com' } })
  clock.advance(15 * DAY_MS)
  await mock.clock.advance('15d')
  const client = clientOf(mock, {
    ledger,
    hooks: { onSettled: ({ operation }) => operations.test(operation) && clock.advance(10 * 60_000) },
  })
  const rows = EMAILS.map((email) => ({ input: { quizId: QUIZ, candidate: { email } } }))
  const plan = await planCampaign(rows, { client, ifExpired: 'invite' })
  const events = runCampaign(plan, { concurrency: 1 })
  const ends = (await all<CampaignEvent>(events)).map((event) => event.type === 'row' && event.status)
  expect(ends).toEqual(['created', 'created', false])
})
