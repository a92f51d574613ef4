import { expect } from 'vitest'
import type { Target } from '../../../../src/ledger/rules/model.ts'
import { all, created, invite, kindOf, recordCreate, referencesOf, request, scope, settle, single } from './samples.ts'
import { rules } from './setting.ts'

const TARGETS: readonly (readonly [what: string, target: Target, kind: 'in-flight' | 'claimed'])[] = [
  ['an address in another case, with space around it', single(' ADA@Example.com '), 'in-flight'],
  ['a tag', single('ada+1@example.com'), 'claimed'],
  ['another quiz', single('ada@example.com', 'other'), 'claimed'],
  ['blanks around a quiz', single('ada@example.com', ' quiz\n'), 'in-flight'],
  ['a package with that quiz', { email: 'ada@example.com', quizIds: ['other', 'quiz'], packageId: 'p' }, 'in-flight'],
  [
    'a package that has the name of the quiz, and other quizzes',
    { email: 'ada@example.com', quizIds: ['other'], packageId: 'quiz' },
    'claimed',
  ],
]

export const comparing = rules((test) => {
  for (const [what, target, kind] of TARGETS) {
    test(`targets are compared by their keys: ${what}`, async ({ ledger }) => {
      await recordCreate(ledger, 'a', undefined)
      expect(await ledger.lookUp(scope, [target])).toMatchObject(kind === 'claimed' ? [undefined] : [{ kind }])
      expect(await kindOf(ledger, { target })).toBe(kind)
    })
  }

  /* Each spelling on its own: address-keys.test.ts and scopes.test.ts. */
  test('every spelling of an address finds the candidate', async ({ ledger }) => {
    await recordCreate(ledger, 'a', created(invite('inv_1')), { target: single('jürgen@bücher.example') })
    const other = 'JU\u0308RGEN@xn--bcher-kva.example'
    expect(await kindOf(ledger, { target: single(other) })).toBe('invited')
    expect(await referencesOf(ledger.list({ email: other }))).toEqual(['a'])
    expect(await ledger.purge({ email: other })).toEqual({ removed: 1, kept: 0 })
  })

  test('every spelling of a scope finds the entries', async ({ ledger }) => {
    const respelt = { baseUrl: 'HTTPS://Certify.TEST.:443//', account: ' acme\t', world: '' }
    await recordCreate(ledger, 'a', undefined, { scope: respelt })
    const records = [{ ...scope, reference: 'a' }]
    expect(await ledger.claim(request('b'))).toMatchObject({ kind: 'in-flight', records })
    for (const each of [scope, respelt]) {
      expect(await ledger.lookUp(each, [single('ada@example.com')])).toMatchObject([{ kind: 'in-flight' }])
      expect(await all(ledger.list(each))).toMatchObject(records)
    }
  })

  for (const other of [{ account: 'other' }, { account: 'Acme' }, { world: 'other' }]) {
    test(`another scope never conflicts: ${Object.entries(other).join()}`, async ({ ledger }) => {
      await recordCreate(ledger, 'a', undefined)
      const elsewhere = { ...scope, ...other }
      expect(await ledger.lookUp(elsewhere, [single('ada@example.com')])).toEqual([undefined])
      expect(await kindOf(ledger, { scope: elsewhere })).toBe('claimed')
    })
  }

  test('two packages conflict if they share a quiz, or are the same', async ({ ledger }) => {
    const email = 'ada@example.com'
    await recordCreate(ledger, 'a', created(), { target: { email, packageId: 'one', quizIds: ['q1', 'q2'] } })
    const packages: readonly (readonly [Target, string])[] = [
      [{ email, packageId: 'two', quizIds: ['q2', 'q3'] }, 'invited'],
      [{ email, packageId: ' one', quizIds: [] }, 'invited'],
      [{ email, packageId: 'two', quizIds: ['q3'] }, 'claimed'],
    ]
    for (const [target, kind] of packages) expect(await kindOf(ledger, { target })).toBe(kind)
  })

  test('only the input keeps the identifiers as the caller wrote them', async ({ ledger }) => {
    const target = { email: 'ada@example.com', packageId: ' pkg', quizIds: [] }
    await recordCreate(ledger, 'a', undefined, { target })
    for (const packageId of ['pkg', 'pkg\t']) {
      expect(await all(ledger.list({ packageId }))).toMatchObject([
        { packageId: 'pkg', quizId: undefined, input: { packageId: ' pkg' } },
      ])
    }
    expect(await kindOf(ledger, { target: { ...target, packageId: 'pkg ' } })).toBe('in-flight')
  })

  test('the quizzes that the response names belong to the package', async ({ ledger }) => {
    await recordCreate(ledger, 'a', undefined, { target: { email: 'ada@example.com', quizIds: [], packageId: 'p' } })
    const skill = invite('inv_1', { quizId: ' quiz', skillName: 'State', level: 'BEGINNER' })
    await settle(ledger, 'a', { state: 'created', invites: [skill], packageName: 'React' })
    expect(await ledger.claim(request('b'))).toMatchObject({
      kind: 'invited',
      records: [{ packageId: 'p', packageName: 'React', invites: [skill] }],
    })
    expect(await referencesOf(ledger.list({ quizId: 'quiz' }))).toEqual(['a'])
  })
})
