import { AsyncLocalStorage } from 'node:async_hooks'
import channels, { tracingChannel } from 'node:diagnostics_channel'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { failureOf } from './failing.ts'
import { clientOf, freshLedger, QUIZ } from './ledger/setting.ts'

const input = { quizId: QUIZ, candidate: { name: 'Canary Bird', email: 'canary@example.com' } }

/** What the channel says until the test ends: the names of its events, and the last state of each context. */
function heard(name: 'create' | 'attempt') {
  const events: string[] = []
  const contexts = new Set<object>()
  const hear = (event: string) => (context: object) => {
    events.push(event)
    contexts.add(context)
  }
  const subscribers = {
    start: hear('start'),
    end: hear('end'),
    asyncStart: hear('asyncStart'),
    asyncEnd: hear('asyncEnd'),
    error: hear('error'),
  }
  const channel = tracingChannel(`certify-sdk:${name}`)
  channel.subscribe(subscribers)
  onTestFinished(() => channel.unsubscribe(subscribers))
  return { events, contexts }
}

test('a create is a span, and so is each attempt, without the candidate, the link or the key', async () => {
  const mock = createMockServer()
  const client = clientOf(mock, {
    ledger: await freshLedger(),
    async fetch(url, init) {
      const response = await mock.fetch(url, init)
      return new Response(response.body, { status: response.status, headers: { 'x-request-id': 'req-1' } })
    },
  })
  const [creates, attempts] = [heard('create'), heard('attempt')]
  mock.faults.add({ operation: 'developerCreateCertificationInvite', fault: 429 })
  const invite = await client.invites.create(input, { reference: 'hire-1' })
  const requestId = 'req-1'
  const create = { operation: 'invites.create', reference: 'hire-1' }
  expect(creates.events).toEqual(['start', 'end', 'asyncStart', 'asyncEnd'])
  expect([...creates.contexts]).toMatchObject([{ ...create, requestId }])
  expect(attempts.events.filter((event) => event === 'error')).toHaveLength(1)
  expect([...attempts.contexts]).toMatchObject([
    { ...create, attempt: 1, code: 'RATE_LIMITED', outcome: 'not-executed', status: 429 },
    { ...create, attempt: 2, status: 200, requestId },
  ])
  const error = await failureOf(client.invites.create(input))
  expect([...creates.contexts].at(-1)).toMatchObject({ code: error.code, outcome: 'not-executed' })
  expect(creates.events.slice(4)).toContain('error')
  const shown = JSON.stringify([...creates.contexts, ...attempts.contexts])
  for (const secret of ['canary', 'Canary', invite.challengeUrl, mock.apiKey]) expect(shown).not.toContain(secret)
})

test('the functions of the caller run in the span of their attempt, so its id can be sent along', async () => {
  const mock = createMockServer()
  const store = new AsyncLocalStorage<object>()
  const { start } = tracingChannel('certify-sdk:attempt')
  start.bindStore(store, (context) => context)
  onTestFinished(() => void start.unbindStore(store))
  const spans: unknown[] = []
  const client = clientOf(mock, {
    apiKey: () => (spans.push(store.getStore()), mock.apiKey),
    headers: () => (spans.push(store.getStore()), {}),
  })
  mock.faults.add({ operation: 'developerCreateCertificationInvite', fault: 429 })
  await client.invites.create(input)
  expect(spans).toMatchObject([1, 1, 2, 2].map((attempt) => ({ attempt })))
})

test('a later create makes no channel, and has the subscribers of then', async () => {
  const mock = createMockServer()
  const client = clientOf(mock, {})
  await client.invites.create(input)
  const make = vi.spyOn(channels, 'tracingChannel')
  await client.tracks.list()
  await client.packageInvites.create({ packageId: 'pkg_react_beginner', candidate: { email: 'ada@example.com' } })
  expect(make).not.toHaveBeenCalled()
  make.mockRestore()
  const { events } = heard('create')
  await client.packageInvites.create({ packageId: 'pkg_react_beginner', candidate: { email: 'bob@example.com' } })
  expect(events).toContain('asyncEnd')
})
