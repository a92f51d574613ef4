import { expect, test } from 'vitest'
import type { CertifyError } from '../../../src/index.ts'
import * as errors from '../../../src/ledger/rules/errors.ts'
import { recordOf, type StoredRecord } from '../../../src/ledger/rules/record.ts'
import { resolved } from '../../../src/ledger/rules/resolving.ts'
import { DAY_MS } from './setting.ts'

const SENT_AT = Date.parse('2030-01-01T00:00:00Z')
const HOUR_MS = 60 * 60_000
const input = { quizId: 'q1', candidate: { name: 'Ada', email: 'ada@example.com' } }
const stored: StoredRecord = {
  id: 1,
  reference: 'hire-1',
  scope: { baseUrl: 'https://certify.test', account: 'acme', world: '' },
  emailKey: 'ada@example.com',
  subjects: ['quiz q1'],
  quizId: 'q1',
  state: 'created',
  input,
  owner: 'me',
  leaseUntil: SENT_AT + 60_000,
  sentAt: SENT_AT,
  expiresAt: SENT_AT + 14 * DAY_MS,
  campaign: 'spring',
  row: 7,
  invites: [{ inviteId: 'A', expiresAt: '2030-01-15T00:00:00.000Z', challengeUrl: 'https://certify.test/c/1' }],
  results: [],
  history: [],
}
const record = (more: Partial<StoredRecord> = {}) => recordOf({ ...stored, ...more })
const SERVICE = { baseUrl: 'https://certify.test', world: '' }
const OTHERS: StoredRecord = { ...stored, id: 2, reference: 'hire-2', emailKey: 'eve@example.com' }
const MOCK = { baseUrl: 'http://127.0.0.1:4010', world: 'w2' }
const MOCKED = record({ scope: { ...MOCK, account: 'acme', world: 'w1' } })
const KEEP = 'Keep this ledger, and use another one here: what is tried with a mock needs a ledger of its own.'
const OTHER = 'Use another ledger here, or another reference.'
const CONFLICT = 'differs from the create that is recorded with this reference'
const NOTHING = { invites: [] }
const create = 'invites.create'
const OPEN = 'A, open until 2030-01-15T00:00:00.000Z'

/* What errors of a create share. */
const ABOUT = { operation: create }
const INVITED = { code: 'ALREADY_INVITED', ...ABOUT, prior: ['hire-1'] }
const OF_ANOTHER = { code: 'REFERENCE_CONFLICT', ...ABOUT, reference: 'hire-1', prior: ['hire-1'] }
const UNRESOLVED = { code: 'INPUT_INVALID', operation: 'ledger.resolve' }
const UNKNOWN = { path: 'reference', rule: 'must belong to a create with an unknown outcome' }
const differing = (rule: string, ...paths: readonly string[]) => ({ issues: paths.map((path) => ({ path, rule })) })

/** Every error of the ledger, its message and its hint, and what else a log shows of it. */
const ERRORS: readonly (readonly [error: CertifyError, message: string, hint: string, facts: object])[] = [
  [
    errors.alreadyInvited(create, [record()], SENT_AT),
    `invites.create: the ledger already has an invite for this candidate (${OPEN}; sent just now). Nothing was sent.`,
    'The ledger may not know whether the link of that invite was used.',
    INVITED,
  ],
  [
    errors.alreadyInvited(create, [record(), record({ sentAt: SENT_AT + HOUR_MS })], SENT_AT + 2 * HOUR_MS, {
      canReuse: true,
      differing: [],
    }),
    `invites.create: the ledger already has an invite for this candidate (${OPEN}; ${OPEN}; sent 60 min ago). Nothing was sent.`,
    'The ledger may not know whether the link of that invite was used. ifInvited: "reuse" returns the recorded invite, "create" sends another.',
    { ...INVITED, prior: ['hire-1', 'hire-1'] },
  ],
  [
    errors.alreadyInvited(create, [record(NOTHING)], SENT_AT + 2 * HOUR_MS, { canReuse: false, differing: [] }),
    'invites.create: the ledger already has an invite for this candidate (sent 2 h ago; its id is not recorded). Nothing was sent.',
    'The candidate has an invite, but its id or its link is not recorded, so it cannot be returned.',
    INVITED,
  ],
  [
    errors.alreadyInvited(create, [record()], SENT_AT, { canReuse: false, differing: ['quizId', 'packageId'] }),
    `invites.create: the ledger already has an invite for this candidate (${OPEN}; sent just now). It differs in quizId, packageId. Nothing was sent.`,
    'An open invite covers it: see `prior`. ifInvited: "create" sends another.',
    { ...INVITED, ...differing('differs from the input of the recorded invite', 'quizId', 'packageId') },
  ],
  [
    errors.alreadyInvited('packageInvites.create', [record()], SENT_AT, {
      canReuse: false,
      differing: [],
      missingQuizIds: ['q2', 'q3'],
    }),
    `packageInvites.create: the ledger already has an invite for this candidate (${OPEN}; sent just now). It covers only a part of the package, without q2, q3. Nothing was sent.`,
    'Create a single invite for each quiz without one: see `missingQuizIds`.',
    { ...INVITED, operation: 'packageInvites.create', missingQuizIds: ['q2', 'q3'] },
  ],
  [
    errors.referenceConflict(create, record(), ['candidate.name', 'quizId'], SENT_AT, SERVICE),
    'invites.create: the reference hire-1 belongs to another create, which differs in candidate.name, quizId. Nothing was sent.',
    'A reference belongs to one create. `prior` says what became of it. Use another one for a different input.',
    { ...OF_ANOTHER, ...differing(CONFLICT, 'candidate.name', 'quizId') },
  ],
  [
    errors.referenceConflict(create, record(), ['account', 'world'], SENT_AT, MOCK),
    'invites.create: the reference hire-1 belongs to another create, which differs in account, world. Nothing was sent.',
    'A reference belongs to one create. Use another one for a different input.',
    { ...OF_ANOTHER, prior: [], ...differing(CONFLICT, 'account', 'world') },
  ],
  ...(
    [
      [record(), MOCK, ['world'], 'https://certify.test, not for this mock', KEEP],
      [record(), MOCK, ['world', 'quizId'], 'https://certify.test, not for this mock, which differs in quizId', KEEP],
      [MOCKED, SERVICE, ['world'], 'a mock, not for https://certify.test', OTHER],
      [MOCKED, MOCK, ['world'], 'another mock, or for an earlier run of this one', OTHER],
    ] as const
  ).map(
    ([own, asked, fields, words, hint]) =>
      [
        errors.referenceConflict(create, own, fields, SENT_AT, asked),
        `invites.create: the reference hire-1 belongs to another create, recorded for ${words}. Nothing was sent.`,
        hint,
        { ...OF_ANOTHER, ...differing(CONFLICT, ...fields) },
      ] as const,
  ),
  [
    errors.priorUnknown(create, [record(), record({ reference: 'hire-2' })], SENT_AT + 14 * DAY_MS - 1),
    'invites.create: an earlier request for this candidate may have created an invite (hire-1, sent at 2030-01-01T00:00:00.000Z; hire-2, sent at 2030-01-01T00:00:00.000Z). Nothing was sent.',
    'Ask the candidate or the service whether the invite with that reference and time exists, then record the result: resolve(reference, …).',
    { code: 'PRIOR_OUTCOME_UNKNOWN', ...ABOUT, prior: ['hire-1', 'hire-2'] },
  ],
  [
    errors.inProgress(create, [record({ state: 'sending' })], SENT_AT),
    'invites.create: another call is inviting this candidate. Nothing was sent by this call.',
    'Call again to get the result of that call.',
    { code: 'IN_PROGRESS', ...ABOUT, prior: ['hire-1'], retryable: true },
  ],
  [
    errors.endedBeforeSending(create, true, { reference: 'hire-1', signal: AbortSignal.abort('stop') }),
    'invites.create: the call was aborted before it was sent.',
    'Nothing was sent, so you may call again. If this happens often, find out what holds up the ledger.',
    { code: 'ABORTED', ...ABOUT, reference: 'hire-1', phase: 'not-sent' },
  ],
  [
    errors.endedBeforeSending(create, false, { reference: 'hire-1' }),
    'invites.create: the time ran out before the request was sent.',
    'Nothing was sent, so you may call again. If this happens often, find out what holds up the ledger.',
    { code: 'TIMED_OUT', ...ABOUT, reference: 'hire-1', phase: 'not-sent', retryable: true },
  ],
  [
    errors.responseMismatched(create, 'hire-1'),
    'invites.create: the response belongs to another request: the ledger has recorded its invite for another candidate or quiz.',
    'An invite may have been created: check with the service. Send nothing more until you know what mixes up the responses.',
    { code: 'RESPONSE_MISMATCHED', ...ABOUT, reference: 'hire-1', outcome: 'unknown' },
  ],
  [
    errors.ledgerUnusable('it is a folder', 'Choose a file.'),
    'The ledger cannot be used: it is a folder.',
    'Choose a file.',
    { code: 'LEDGER_UNUSABLE', retryable: true },
  ],
  [
    errors.clockBehind('my.ledger', SENT_AT, SENT_AT + DAY_MS),
    'The clock is behind: it says 2030-01-01 00:00:00 UTC, but the newest record of the ledger my.ledger is from 2030-01-02 00:00:00 UTC. Nothing was sent.',
    'Set the clock of this machine or, with Postgres, of the database. If it is right, the newest record was recorded with a wrong one: send once with --allow-clock-skew, or `allowClockSkew`.',
    { code: 'CLOCK_SKEW' },
  ],
  [
    thrown(() => resolved(undefined, { notCreated: true }, [], SENT_AT)),
    'ledger.resolve: the ledger has no such reference. Nothing was changed.',
    'List the state "unknown" to find such references.',
    { ...UNRESOLVED, issues: [UNKNOWN] },
  ],
  [
    thrown(() => resolved(stored, { notCreated: true }, [], SENT_AT)),
    'ledger.resolve: that create is not unknown, but created. Nothing was changed.',
    'List the state "unknown" to find such references.',
    { ...UNRESOLVED, issues: [UNKNOWN] },
  ],
  [
    thrown(() => resolved(stored, { undo: true }, [], SENT_AT)),
    'ledger.resolve: the last change of that create is not a finding. Nothing was changed.',
    'A finding can be withdrawn only until something else happens: see `history`.',
    { ...UNRESOLVED, ...differing('must belong to a create whose last change is a finding', 'reference') },
  ],
  [
    thrown(() => resolved({ ...stored, state: 'unknown' }, { created: 'A' }, [OTHERS], SENT_AT)),
    'ledger.resolve: that invite is recorded for another candidate or quiz. Nothing was changed.',
    'Look up the invite of this candidate; the list of invites shows whom that one is for.',
    { ...UNRESOLVED, ...differing('must not be an invite of another candidate or quiz', 'created') },
  ],
]

function thrown(work: () => unknown): CertifyError {
  try {
    work()
  } catch (error) {
    return error as CertifyError
  }
  throw new Error('nothing was thrown')
}

test.each(ERRORS.map(([error, message, hint, facts]) => ({ error, expected: { message, hint, ...facts } })))(
  '$error.code says what happened, and what to do: $error.message',
  ({ error, expected }) => {
    const { name: _name, prior: _prior, ...logged } = error.toJSON()
    const prior = error.prior.map(({ reference }) => reference)
    expect({ ...logged, retryable: error.retryable, prior }).toStrictEqual({
      outcome: 'not-executed',
      retryable: false,
      prior: [],
      ...expected,
    })
  },
)

test('an earlier create is described by what may be logged: not by its candidate, and not by its link', () => {
  const single = { invites: [{ inviteId: 'A', quizId: 'q1', expiresAt: '2030-01-15T00:00:00.000Z' }] }
  const sent = { reference: 'hire-1', sentAt: '2030-01-01T00:00:00.000Z', campaign: 'spring', row: 7 }
  const { prior } = errors.alreadyInvited(create, [record()], SENT_AT - HOUR_MS)
  expect(prior).toStrictEqual([{ ...sent, ...single, state: 'created', ageMs: 0, quizId: 'q1', packageId: undefined }])
  const pack = { quizId: undefined, packageId: 'pkg', invites: [{ ...stored.invites[0], quizId: 'q1' }] } as never
  expect(errors.priorUnknown(create, [record(pack)], SENT_AT + HOUR_MS).prior).toStrictEqual([
    { ...sent, ...single, state: 'created', ageMs: HOUR_MS, quizId: undefined, packageId: 'pkg' },
  ])
})

test('an unknown outcome from more than 14 days ago says that its link would have expired', () => {
  const { message } = errors.priorUnknown(create, [record()], SENT_AT + 14 * DAY_MS)
  expect(message).toMatch(/ Its link would have expired\. Nothing was sent\.$/)
})

test.each([
  ['/srv/a+b@c:1/%x-_.ledger', '/srv/a+b@c:1/%x-_.ledger'],
  ['my ledger', "'my ledger'"],
  ["ada's", String.raw`'ada'\''s'`],
  ['', "''"],
])('a command in a hint can be pasted: --ledger %s', (path, quoted) => {
  expect(errors.ledgerFlag(path)).toBe(`--ledger ${quoted}`)
})

test.each([
  [59_999, 'just now'],
  [60_000, '1 min ago'],
  [120 * 60_000 - 1, '119 min ago'],
  [120 * 60_000, '2 h ago'],
  [48 * HOUR_MS - 1, '47 h ago'],
  [48 * HOUR_MS, '2 days ago'],
])('an age of %i ms is described as %s', (ms, age) => {
  expect(errors.alreadyInvited(create, [record()], SENT_AT + ms).message).toContain(`; sent ${age})`)
})
