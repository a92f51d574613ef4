import { expect, test, vi } from 'vitest'
import { type CreateOptions, isCertifyError } from '../../../src/index.ts'
import { createMockServer } from '../../../mock-server/index.ts'
import { failureOf } from '../failing.ts'
import { all, candidate, clientOf, guardedSetting, PACKAGE, QUIZ } from './setting.ts'

const input = { quizId: QUIZ, candidate }

test.each([
  [{ ifinvited: 'reuse' }, 'ifinvited is unknown; known fields: signal'],
  [
    { somethingElse: 1 },
    'somethingElse is unknown; known fields: signal, timeoutMs, deadlineMs, retry, reference, onResponse, ifInvited, ifUnknown',
  ],
  [{ ifInvited: 'resend' }, 'ifInvited must be one of: refuse, reuse, create'],
  [{ ifUnknown: 'reuse' }, 'ifUnknown must be one of: refuse, create'],
  ...[17, 'two words', '', 'hire+2', 'x'.repeat(121)].map(
    (reference) => [{ reference }, 'reference must be 1 to 120 letters'] as const,
  ),
] as const)('a create with a ledger refuses the options $0: it records and sends nothing', async (options, rule) => {
  const { guarded, ledger, mock } = await guardedSetting()
  for (const create of [
    guarded.invites.create(input, options as object),
    guarded.packageInvites.create({ packageId: PACKAGE, candidate }, options as object),
  ]) {
    const error = await failureOf(create)
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', outcome: 'not-executed' })
    expect(error.message).toContain(rule)
  }
  expect(await all(ledger.list())).toEqual([])
  expect(mock.requestLog.list()).toEqual([])
})

test('a reference that is set to undefined is INPUT_INVALID, with or without a ledger: no key is missing unnoticed', async () => {
  const { client, guarded, ledger, mock } = await guardedSetting()
  const options = { reference: undefined } as unknown as CreateOptions
  for (const each of [client, guarded]) {
    for (const call of [
      each.invites.create(input, options),
      each.packageInvites.create({ packageId: PACKAGE, candidate }, options),
      each.tracks.list({}, options),
      each.request('{ __typename }', {}, options),
    ]) {
      expect(await failureOf(call)).toMatchObject({
        code: 'INPUT_INVALID',
        outcome: 'not-executed',
        issues: [{ path: 'reference', rule: 'is undefined; leave it out for a new one' }],
      })
    }
    expect(await each.tracks.list({}, Object.create(options) as object)).not.toEqual([])
  }
  expect(await all(ledger.list())).toEqual([])
  expect(mock.outbox).toEqual([])
})

test.each(['ifInvited', 'ifUnknown'] as const)('without a ledger, %s is refused', async (name) => {
  const { client, mock } = await guardedSetting()
  const error = await failureOf(client.invites.create(input, { [name]: 'create' }))
  expect(error).toMatchObject({
    code: 'CONFIG_INVALID',
    issues: [{ path: name, rule: 'needs a client with a ledger' }],
  })
  expect(mock.requestLog.list()).toEqual([])
})

test.each([{}, { creates: 1 }, 'x', null])('an invalid ledger option is refused: %j', (ledger) => {
  expect(() => clientOf(createMockServer(), { ledger: ledger as never })).toThrow(
    'ledger must be the result of openLedger',
  )
})

test('error.prior has the earlier records, also on an error of another copy of the package', async () => {
  const { guarded, ledger } = await guardedSetting()
  const invite = await guarded.invites.create(input)
  const error = await failureOf(guarded.invites.create(input))
  expect(error.prior.map(({ invites }) => invites[0]?.inviteId)).toEqual([invite.inviteId])
  expect(error.toJSON()).toMatchObject({ prior: error.prior })
  vi.resetModules()
  const copy = await import('../../../src/ledger/rules/errors.ts')
  const theirs: unknown = copy.priorUnknown('invites.create', await all(ledger.list()), 0)
  if (!isCertifyError(theirs)) throw theirs
  expect(theirs.prior.map(({ reference }) => reference)).toEqual([error.prior[0]?.reference])
})

test('the hint of ALREADY_INVITED recommends reuse only if it would return the recorded invite', async () => {
  const { guarded } = await guardedSetting()
  await guarded.invites.create(input)
  const same = await failureOf(guarded.invites.create(input))
  expect(same.hint).toContain('"reuse" returns the recorded invite')
  expect(same.issues).toEqual([])
  const grace = { email: 'grace@example.com' }
  await guarded.packageInvites.create({ packageId: PACKAGE, candidate: grace })
  const covered = { quizId: QUIZ, candidate: grace }
  const byPackage = await failureOf(guarded.invites.create(covered))
  expect(byPackage.hint).not.toContain('"reuse"')
  expect(byPackage).toMatchObject({ issues: [{ path: 'quizId' }, { path: 'packageId' }] })
  const again = await failureOf(guarded.invites.create(covered, { ifInvited: 'reuse' }))
  expect(again.code).toBe('ALREADY_INVITED')
})

test('the listing before a package invite does not use the reference of the invite', async () => {
  const { ledger, mock } = await guardedSetting()
  const sent: string[] = []
  const guarded = clientOf(mock, {
    ledger,
    fetch: (url, init) => {
      sent.push(init.headers['x-client-reference'] ?? '')
      return mock.fetch(url, init)
    },
  })
  await guarded.packageInvites.create({ packageId: PACKAGE, candidate }, { reference: 'order-18' })
  expect(sent).toEqual([expect.not.stringContaining('order-18'), 'order-18'])
})
