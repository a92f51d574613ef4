import { expect } from 'vitest'
import type { Ledger } from '../../../../src/ledger/rules/ledger-types.ts'
import { DAY_MS } from '../setting.ts'
import { all, created, invite, kindOf, recordCreate, request, scope, single } from './samples.ts'
import { rules } from './setting.ts'

type Given = Parameters<Ledger['import']>[0][number]

const from = 'our ATS'
const email = 'ada@example.com'
const ada: Given = { email, quizId: 'quiz', from }
const link = 'https://certify.test/challenge/inv_1'
const statusesOf = async (ledger: Ledger, ...given: Given[]) =>
  (await ledger.import(given, scope)).map(({ status, state }) => `${status} ${state}`)

/* What a second import or the ledger itself has, and what becomes of an import of the same candidate and quiz. */
const AGAIN: readonly [what: string, before: Partial<Given>, later: number, given: Partial<Given>, status: string][] = [
  ['the same without times, while it is open', {}, 3, {}, 'known'],
  ['the same without times, after it has expired', {}, 15, {}, 'known'],
  ['the same with times, after it has expired', { createdAt: '2029-12-01' }, 0, { createdAt: '2029-12-01' }, 'known'],
  ['the same with its id', { inviteIds: ['inv_1'] }, 15, { inviteIds: ['inv_1'] }, 'known'],
  ['an id that was not known before', {}, 0, { inviteIds: ['inv_1'] }, 'known'],
  ['the day of an open invite', {}, 1, { createdAt: '2030-01-01T23:00:00Z' }, 'known'],
  ['another invite', { inviteIds: ['inv_1'] }, 0, { inviteIds: ['inv_2'] }, 'imported'],
  ['a later one of which the link is open for longer', {}, 10, { createdAt: '2030-01-10' }, 'imported'],
  ['one after the earlier one has expired', { createdAt: '2029-12-01' }, 0, {}, 'imported'],
]

const INVALID: readonly [given: Partial<Given>, path: string][] = [
  [{ email: 'ada at example.com' }, 'email'],
  [{ quizId: undefined }, 'quizId'],
  [{ packageId: 'pkg' }, 'quizId'],
  [{ quizId: ' ' }, 'quizId'],
  [{ quizIds: ['q'] }, 'quizIds'],
  [{ inviteIds: ['a', 'b'] }, 'inviteIds'],
  [{ challengeUrl: link }, 'challengeUrl'],
  [{ createdAt: '2030-01-02' }, 'createdAt'],
  [{ createdAt: 'last week' }, 'createdAt'],
  [{ createdAt: '2029-12-31', expiresAt: '2029-12-30' }, 'expiresAt'],
  [{ reference: 'a b' }, 'reference'],
  [{ from: '' }, 'from'],
  [{ name: 1 as never }, 'name'],
]

export const importing = rules((test) => {
  test('skipInvalid reports what is not valid in its place, and imports the others, in order', async ({ ledger }) => {
    const others = Array.from({ length: 250 }, (_each, index) => ({ ...ada, email: `${index}@example.com` }))
    const ahead = { ...ada, createdAt: '2030-01-01T05:30:00+00:00' }
    const given = [ahead, ...others, { ...ada, from: '' }, ada, null as never, { ...ada, sent: true } as Given]
    await expect(ledger.import(given, scope)).rejects.toMatchObject({ code: 'INPUT_INVALID' })
    expect(await ledger.count()).toBe(0)
    for (const dryRun of [true, false]) {
      const results = await ledger.import(given, { ...scope, skipInvalid: true, dryRun })
      const invalid = results.flatMap((each, index) =>
        each.status === 'invalid' ? [[index, each.issues[0]?.path]] : [],
      )
      expect(invalid).toEqual([
        [0, 'createdAt'],
        [251, 'from'],
        [253, ''],
        [254, 'sent'],
      ])
      expect(results.filter(({ status }) => status === 'imported')).toHaveLength(251)
    }
    const [found] = await all(ledger.list({ email: '7@example.com' }))
    expect((await ledger.import([others[7] as Given], scope))[0]).toMatchObject({ reference: found?.reference })
    expect(await ledger.import([ahead], { ...scope, skipInvalid: true })).toMatchObject([{ status: 'invalid' }])
  })

  test('a misspelt option is refused by its name: nothing is imported or moved', async ({ ledger }) => {
    const refused = (path: string) => ({ code: 'INPUT_INVALID', outcome: 'not-executed', issues: [{ path }] })
    await expect(ledger.import([ada], { ...scope, dryrun: true } as object)).rejects.toMatchObject(refused('dryrun'))
    expect(await ledger.count()).toBe(0)
    const move = { account: scope.account, to: 'https://new.test', from: scope.baseUrl }
    await expect(ledger.move(move)).rejects.toMatchObject(refused('from'))
  })

  test('an import says whose links have expired already: they block nothing', async ({ ledger }) => {
    const given = [
      { ...ada, createdAt: '2029-12-18T00:00:00Z' },
      { ...ada, quizId: 'other', createdAt: '2029-12-19T00:00:00Z' },
      { ...ada, quizId: 'third', createdAt: '2029-12-01', expiresAt: '2030-01-01T00:00:00Z' },
    ]
    for (const dryRun of [true, false])
      expect((await ledger.import(given, { ...scope, dryRun })).map(({ hasExpired }) => hasExpired)).toEqual([
        true,
        undefined,
        true,
      ])
    expect(await kindOf(ledger)).toBe('claimed')
  })

  test('an imported invite blocks a create as one made here does, until it expires', async ({ ledger, clock }) => {
    const times = { createdAt: '2029-12-31T00:00:00Z', inviteIds: ['inv_1'], challengeUrl: link }
    const [{ reference } = { reference: '' }] = await ledger.import([{ ...ada, ...times, name: 'Ada' }], scope)
    const invites = [{ inviteId: 'inv_1', challengeUrl: link, expiresAt: '2030-01-14T00:00:00.000Z' }]
    const history = [{ at: '2030-01-01T00:00:00.000Z', what: 'imported', from }]
    expect(await ledger.claim(request('b', { target: single('ADA@example.com') }))).toMatchObject({
      kind: 'invited',
      records: [{ reference, state: 'created', sentAt: '2029-12-31T00:00:00.000Z', invites, history }],
    })
    clock.advance(13 * DAY_MS)
    expect(await kindOf(ledger)).toBe('claimed')
  })

  test('an imported package blocks its known quizzes, else itself, by default from now', async ({ ledger, clock }) => {
    const pkg = { packageId: 'pkg', quizIds: ['q1', 'q2'] }
    await ledger.import(
      [
        { email, from, ...pkg },
        { email: 'bob@example.com', from, packageId: 'pkg' },
      ],
      scope,
    )
    const kinds = async () => [
      await kindOf(ledger, { target: single(email, 'q2') }),
      await kindOf(ledger, { target: { email: 'bob@example.com', ...pkg } }),
    ]
    clock.advance(14 * DAY_MS - 1)
    expect(await kinds()).toEqual(['invited', 'invited'])
    clock.advance(1)
    expect(await kinds()).toEqual(['claimed', 'claimed'])
  })

  for (const [what, before, later, given, status] of AGAIN) {
    test(`what the ledger has is not doubled: ${what} is ${status}`, async ({ ledger, clock }) => {
      await ledger.import([{ ...ada, ...before }], scope)
      clock.advance(later * DAY_MS)
      expect(await statusesOf(ledger, { ...ada, ...given }, { ...ada, ...given })).toEqual([
        `${status} created`,
        'known created',
      ])
      expect(await ledger.count()).toBe(status === 'known' ? 1 : 2)
    })
  }

  test('what was sent from here is known, whatever its outcome; a refused one gives way', async ({ ledger }) => {
    await recordCreate(ledger, 'a', created(invite('inv_a')))
    await recordCreate(ledger, 'b', { state: 'unknown' }, { target: single('bob@example.com') })
    await recordCreate(ledger, 'c', { state: 'refused', code: 'NOT_FOUND' }, { target: single('cy@example.com') })
    const others = [
      { ...ada, email: 'bob@example.com' },
      { ...ada, name: 'Cy Twombly', email: 'cy@example.com', reference: 'c' },
    ]
    expect(await statusesOf(ledger, ada, ...others)).toEqual(['known created', 'known unknown', 'imported created'])
    expect(await ledger.find('c')).toMatchObject({ state: 'created', history: [{ what: 'replaced' }, { from }] })
  })

  test('a reference or an invite of another create is a conflict, and the others are imported', async ({ ledger }) => {
    await recordCreate(ledger, 'a', created(invite('inv_a')))
    const bob = { ...ada, email: 'bob@example.com' }
    const given = [{ ...bob, reference: 'a' }, { ...bob, inviteIds: ['inv_a'] }, bob]
    expect(await statusesOf(ledger, ...given)).toEqual(['conflict created', 'conflict created', 'imported created'])
  })

  test('one invalid import records nothing, and each fault is named', async ({ ledger }) => {
    for (const [given, path] of INVALID) {
      const issues = [expect.objectContaining({ path: `1.${path}` }) as unknown]
      const error = { code: 'INPUT_INVALID', issues }
      await expect(ledger.import([ada, { ...ada, ...given }], scope)).rejects.toMatchObject(error)
    }
    expect(await ledger.count()).toBe(0)
  })

  test('an import is for its account’s service; the first one decides, no dry run does', async ({ ledger }) => {
    await expect(ledger.import([ada])).rejects.toMatchObject({ issues: [{ path: 'scope.baseUrl' }] })
    await ledger.import([ada], { ...scope, account: 'default', dryRun: true })
    expect([await ledger.count(), (await ledger.check()).accounts]).toEqual([0, {}])
    await ledger.import([ada], { baseUrl: scope.baseUrl })
    await ledger.import([{ ...ada, email: 'bob@example.com' }])
    expect(await ledger.count({ account: 'default', baseUrl: scope.baseUrl, world: '' })).toBe(2)
    for (const dryRun of [true, false]) {
      const elsewhere = ledger.import([ada], { baseUrl: 'https://other.test', dryRun })
      await expect(elsewhere).rejects.toMatchObject({ code: 'WRONG_SERVICE' })
    }
  })

  test('a long import that was interrupted is completed by the same import', async ({ ledger }) => {
    const given = Array.from({ length: 450 }, (_each, index) => ({ ...ada, email: `${index}@example.com` }))
    await ledger.import(given.slice(0, 200), scope)
    const statuses = (await ledger.import(given, scope)).map(({ status }) => status)
    expect([statuses.indexOf('imported'), statuses.lastIndexOf('known')]).toEqual([200, 199])
    expect(await all(ledger.list())).toHaveLength(450)
  })
})
