import { expect, test } from 'vitest'
import { CertifyError, type CertifyErrorCode, type InviteInput } from '../../../src/index.ts'
import type { LedgerRecord, LedgerInvite } from '../../../src/ledger/index.ts'
import { differences, resultIn, settlementOf, settlementOfFailure } from '../../../src/ledger/rules/outcome.ts'
import { DAY_MS } from './setting.ts'

const NOW = Date.parse('2030-01-01T00:00:00Z')
const ASSUMED = { expiresAt: new Date(NOW + 14 * DAY_MS).toISOString(), expiryAssumed: true }
const single = {
  inviteId: 'A',
  status: 'PENDING',
  challengeUrl: 'https://certify.test/challenge/A',
  expiresAt: '2030-01-10T00:00:00.000Z',
  emailSent: true,
}
const { challengeUrl, expiresAt } = single
const skill = { ...single, quizId: 'q1', skillName: 'React', level: 'BEGINNER' }
const bare = { ...skill, status: null, emailSent: null, skillName: null, level: null, expiresAt: null }

test.each([
  ['a full invite', single, { state: 'created', invites: [single] }],
  [
    'an invite with only what it must have',
    { ...single, status: null, emailSent: null, expiresAt: null },
    { state: 'created', invites: [{ inviteId: 'A', challengeUrl, ...ASSUMED }] },
  ],
  [
    'an expiry that is no time',
    { ...single, expiresAt: 'soon' },
    { state: 'created', invites: [{ ...single, ...ASSUMED }] },
  ],
  [
    'an expiry without a zone, which is in UTC',
    { ...single, expiresAt: '2030-01-10T00:00:00.000' },
    { state: 'created', invites: [single] },
  ],
  [
    'an expiry with a blank and in lower case',
    { ...single, expiresAt: '2030-01-10 00:00:00.000z' },
    { state: 'created', invites: [single] },
  ],
  [
    'a package',
    { packageId: 'pkg', packageName: 'Basics', invites: [skill] },
    { state: 'created', packageName: 'Basics', invites: [skill] },
  ],
  [
    'a package without a name',
    { packageId: 'pkg', packageName: null, invites: [bare] },
    {
      state: 'created',
      packageName: '',
      invites: [{ inviteId: 'A', challengeUrl, quizId: 'q1', ...ASSUMED }],
    },
  ],
])('a result is recorded with every field that is known: %s', (_what, result, settlement) => {
  expect(settlementOf(result, NOW)).toStrictEqual(settlement)
})

const failure = (code: CertifyErrorCode, outcome: CertifyError['outcome'], partial?: unknown) =>
  new CertifyError({ code, outcome, message: 'failed', partial })

test.each([
  ...(['UNAUTHENTICATED', 'FORBIDDEN', 'NOT_FOUND', 'BAD_USER_INPUT', 'API_ERROR'] as const).map(
    (code) => [code, 'refused'] as const,
  ),
  ...(
    [
      'UNREACHABLE',
      'ABORTED',
      'TIMED_OUT',
      'RATE_LIMITED',
      'REDIRECT_REFUSED',
      'LEDGER_UNUSABLE',
      'CREDENTIALS_UNAVAILABLE',
    ] as const
  ).map((code) => [code, 'not-executed'] as const),
])('%s, not executed, is recorded as %s', (code, state) => {
  expect(settlementOfFailure(failure(code, 'not-executed'), NOW)).toStrictEqual({ state, code })
})

test('an unknown outcome is recorded with its code; an error from elsewhere has none', () => {
  expect(settlementOfFailure(failure('TIMED_OUT', 'unknown'), NOW)).toStrictEqual({
    state: 'unknown',
    code: 'TIMED_OUT',
  })
  expect(settlementOfFailure(new TypeError('a fault of the caller'), NOW)).toStrictEqual({ state: 'unknown' })
})

test.each([
  ['nothing', undefined, []],
  ['null', null, []],
  ['text', 'inv_A', []],
  ['a blank identifier', { inviteId: ' ', challengeUrl }, []],
  ['an invite', { ...single, emailSent: 'yes' }, [{ inviteId: 'A', challengeUrl, status: 'PENDING', expiresAt }]],
  [
    'an invite whose other fields have the wrong type',
    { inviteId: 'A', challengeUrl: 5, status: {}, quizId: '', expiresAt: 0 },
    [{ inviteId: 'A', ...ASSUMED }],
  ],
  [
    'a package in which one invite can be read',
    { packageName: null, invites: [skill, null, { inviteId: 7 }] },
    [{ inviteId: 'A', challengeUrl, status: 'PENDING', quizId: 'q1', expiresAt }],
  ],
])('an unexpected response is recorded as created, with each invite in it: %s', (_what, partial, invites) => {
  const settlement = settlementOfFailure(failure('RESPONSE_UNEXPECTED', 'executed', partial), NOW)
  expect(settlement).toStrictEqual({ state: 'created', invites })
})

const record = (invites: readonly LedgerInvite[], more: Partial<LedgerRecord> = {}) =>
  ({ invites, history: [], ...more }) as unknown as LedgerRecord
const pack = (invites: readonly LedgerInvite[], packageName?: string) =>
  record(invites, { packageId: 'pkg', packageName })
const { challengeUrl: _link, ...unlinked } = skill
const { quizId: _quiz, ...unnamed } = skill

test.each([
  ['an invite', record([single]), single],
  ['an invite with an assumed expiry', record([{ ...single, expiryAssumed: true }]), { ...single, expiresAt: null }],
  [
    'an invite with only what it must have',
    record([{ inviteId: 'A', challengeUrl: 'x', expiresAt }]),
    { inviteId: 'A', challengeUrl: 'x', expiresAt, status: null, emailSent: null },
  ],
  ['an invite without its link', record([unlinked]), undefined],
  ['no invite', record([]), undefined],
  ['a package', pack([skill], 'Basics'), { packageId: 'pkg', packageName: 'Basics', invites: [skill] }],
  [
    'a package whose names the service did not return',
    pack([{ inviteId: 'A', challengeUrl: 'x', expiresAt, expiryAssumed: true, quizId: 'q1' }], ''),
    { packageId: 'pkg', packageName: null, invites: [{ ...bare, challengeUrl: 'x' }] },
  ],
  ['a package known only from events', pack([skill]), undefined],
  ['a package without invites', pack([], 'Basics'), undefined],
  ['a package with an invite without its link', pack([skill, unlinked], 'Basics'), undefined],
  ['a package with an invite without its quiz', pack([skill, unnamed], 'Basics'), undefined],
])('a recorded result is returned as it was, or not at all: %s', (_what, recorded, result) => {
  expect(resultIn(recorded)).toStrictEqual(result)
})

const input: InviteInput = { quizId: 'q1', candidate: { name: 'Ada', email: 'ada@example.com' } }
test.each([
  [{}, []],
  [{ quizId: ' q1 ', candidate: { name: 'Ada', email: 'ADA@example.com' }, sendInviteEmail: true }, []],
  [{ quizId: 'q2' }, ['quizId']],
  [{ candidate: { name: 'Eve', email: 'eve@example.com' } }, ['candidate.email', 'candidate.name']],
  [{ candidate: { email: 'ada@example.com' } }, []],
  [{ candidate: { name: ' ', email: 'ada@example.com' } }, []],
  [{ candidate: { name: ' Ada\t', email: 'ada@example.com' } }, []],
  [{ candidate: { name: 'ada', email: 'ada@example.com' } }, ['candidate.name']],
  [{ sendInviteEmail: false }, ['sendInviteEmail']],
  [{ externalReference: 'x' }, ['externalReference']],
  [{ callbackUrl: 'https://app.example/hook' }, ['callbackUrl']],
])('an input that changes $0 differs in $1', (change, fields) => {
  expect(differences(input, { ...input, ...change })).toEqual(fields)
})

test.each([
  ['Zo\u00eb', 'Zoe\u0308'],
  ['\u1112\u1161\u11ab', '\ud55c'],
])('a name in another form of Unicode is the same name: %s', (one, other) => {
  const named = (name: string) => ({ ...input, candidate: { ...input.candidate, name } })
  expect(differences(named(one), named(other))).toEqual([])
})

test('a package differs from a quiz, and from another package', () => {
  const one = { packageId: 'pkg', candidate: input.candidate }
  expect(differences(input, one)).toEqual(['quizId', 'packageId'])
  expect(differences(one, { ...one, packageId: 'other' })).toEqual(['packageId'])
})
