import { inspect } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { createMockServer, type MockServerOptions } from '../../../mock-server/index.ts'
import {
  type CallbackHandlerOptions,
  callbackUrls,
  createCallbackHandler,
  type Inbox,
  type ReceivedEvent,
} from '../../../src/callbacks/index.ts'
import { candidate, clientOf, freshLedger, QUIZ, standingClock } from '../ledger/setting.ts'
import { testClock } from './setting.ts'

const urls = callbackUrls({ baseUrl: 'https://app.example/certify', secrets: ['a secret of thirty-two characters'] })

/** A mock, a client of it with a ledger, and a handler whose inbox is in the file of the ledger. */
async function setting(
  options: Partial<CallbackHandlerOptions> = {},
  mockOptions: MockServerOptions = {},
  inboxOf: (inbox: Inbox) => Inbox = (inbox) => inbox,
) {
  const ledger = await freshLedger(standingClock())
  const inbox = inboxOf(ledger.inbox)
  const clock = testClock()
  const handled: ReceivedEvent[] = []
  const failures: unknown[] = []
  const handler = createCallbackHandler({
    callbacks: urls,
    inbox,
    clock,
    onEvent: async (event) => void handled.push(event),
    onFailure: (error, event) => failures.push([error, event]),
    ...options,
  })
  onTestFinished(() => handler.close())
  const mock = createMockServer({ now: '2030-01-01T00:00:00Z', ...mockOptions })
  if (mockOptions.callbacks === undefined) mock.callbacks.deliverTo((request) => handler(request))
  const guarded = clientOf(mock, { callbacks: urls, ledger })
  const settled = async () => {
    await mock.settle()
    await handler.drain()
  }
  const record = async () => {
    for await (const each of ledger.list()) return each
    return undefined
  }
  return { ledger, inbox, clock, handled, failures, handler, mock, guarded, settled, record }
}

type Setting = Awaited<ReturnType<typeof setting>>

/* A candidate fails, claims a retake and passes, one day apart. */
async function failAndPass({ mock }: Pick<Setting, 'mock'>, link: string) {
  await mock.clock.advance('1d')
  const challenge = mock.open(link)
  challenge.fail()
  await mock.clock.advance('1d')
  const retake = mock.open(challenge.claim('retake').challengeUrl)
  await mock.clock.advance('1d')
  retake.pass()
}

const CHAIN = {
  state: 'created',
  invites: [{ result: 'failed', resultAt: '2030-01-02T00:00:00.000Z' }],
  followUps: [
    {
      kind: 'retake',
      claimedAt: '2030-01-03T00:00:00.000Z',
      result: 'passed',
      resultAt: '2030-01-04T00:00:00.000Z',
      validUntil: expect.stringMatching(/^203\d-/),
      quizId: QUIZ,
    },
  ],
}

test('the ledger records a fail, a retake and a pass before onEvent is called', async () => {
  const seen: unknown[] = []
  const world = await setting({
    onEvent: async ({ reference }) => {
      const { invites, followUps = [] } = (await world.ledger.find(reference)) ?? { invites: [] }
      seen.push([...invites, ...followUps].map(({ result }) => result))
    },
  })
  const { guarded, mock, settled, record, failures } = world
  const { inviteId, challengeUrl } = await guarded.invites.create({ quizId: QUIZ, candidate })
  await failAndPass(world, challengeUrl)
  await settled()
  expect(await record()).toMatchObject(CHAIN)
  const [recorded] = (await record())?.followUps ?? []
  expect(recorded).toMatchObject({ followUpOf: inviteId, inviteId: mock.invites.at(-1)?.inviteId })
  expect([seen, failures]).toEqual([[['failed'], ['failed', undefined], ['failed', 'passed']], []])
})

test('an event names every create that ended with its invite, and a retry of each returns it without the option', async () => {
  const { guarded, mock, ledger, settled, handled } = await setting()
  const first = await guarded.invites.create({ quizId: QUIZ, candidate }, { reference: 'job1' })
  const second = { quizId: QUIZ, candidate: { ...candidate, name: 'A. Byron' }, externalReference: 'application-2' }
  const link = { inviteId: first.inviteId, challengeUrl: first.challengeUrl }
  expect(await guarded.invites.create(second, { reference: 'job2', ifInvited: 'reuse' })).toMatchObject(link)
  expect(await guarded.invites.create(second, { reference: 'job2' })).toMatchObject(link)
  mock.open(first.challengeUrl).pass()
  await settled()
  expect(handled).toMatchObject([{ reference: 'job1', references: ['job1', 'job2'] }])
  expect(await ledger.find('job2')).toMatchObject({ sameAs: 'job1', invites: [{ result: 'passed' }] })
  const other = { quizId: QUIZ, candidate: { email: 'grace@example.com' } }
  await expect(guarded.invites.create(other, { reference: 'job2' })).rejects.toMatchObject({
    code: 'REFERENCE_CONFLICT',
    issues: [{ path: 'candidate.email' }],
  })
  expect(mock.outbox).toHaveLength(1)
})

test('after a crash between recording an event and handling it, the event is handled again and records the same', async () => {
  let crashes = 1
  const breaking = (inbox: Inbox): Inbox => ({
    ...inbox,
    settle: async (key, result) => {
      if (crashes === 0) return inbox.settle(key, result)
      crashes -= 1
      throw new Error('crashed')
    },
  })
  const { guarded, mock, settled, record, handler, clock, handled, failures } = await setting({}, {}, breaking)
  mock.faults.add({ operation: 'developerCreateCertificationInvite', phase: 'after', fault: 'cut' })
  await expect(guarded.invites.create({ quizId: QUIZ, candidate })).rejects.toMatchObject({ outcome: 'unknown' })
  mock.open(mock.invites[0]?.challengeUrl ?? '').pass()
  await settled()
  const before = await record()
  expect(before).toMatchObject({ state: 'created', invites: [{ result: 'passed' }] })
  clock.advance(300_001)
  await handler.drain()
  expect(handled.map(({ key }) => key)).toEqual([handled[0]?.key, handled[0]?.key])
  expect(await record()).toEqual(before)
  expect(failures).toMatchObject([[new Error('crashed'), undefined]])
})

test('an event that names another candidate’s invite is reported and handled, and changes nothing', async () => {
  const { guarded, mock, handler, record, ledger, handled, failures } = await setting()
  const other = await guarded.invites.create({ quizId: QUIZ, candidate: { email: 'grace@canary.example' } })
  const { inviteId } = await guarded.invites.create({ quizId: QUIZ, candidate })
  const before = await record()
  const url = await urls.mint(before?.reference ?? '')
  const post = (body: object) =>
    handler(new Request(url, { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(body) }))
  await post({ type: 'certification.completed', data: { inviteId: other.inviteId, result: 'PASSED' } })
  await post({
    type: 'certification.follow_up_claimed',
    data: { originalInviteId: inviteId, followUpInviteId: other.inviteId },
  })
  await handler.drain()
  expect(await record()).toEqual(before)
  const reported = { message: expect.stringContaining('contradicts the ledger') }
  expect(failures).toMatchObject(handled.map(({ key }) => [reported, { key }]))
  expect(failures).toHaveLength(2)
  expect(inspect(failures, { depth: 9 })).not.toMatch(/canary|ada@|inv_/)
  expect(mock.invites).toHaveLength(2)
  expect(await ledger.check()).toMatchObject({ problems: [] })
})

const JSON_TYPE = { 'content-type': 'application/json' }
