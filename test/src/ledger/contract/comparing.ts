import { expect } from 'vitest'
import type { Target } from '../../../../src/ledger/rules/entry.ts'
import { all, created, invite, kindOf, record, referencesOf, request, scope, single } from './samples.ts'
import type { Rule } from './setting.ts'

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

const SPELLINGS: readonly (readonly [what: string, one: string, other: string])[] = [
  ['composed and decomposed letters', 'jürgen@example.com', 'ju\u0308rgen@example.com'],
  ['upper case of a letter with an accent', 'jürgen@example.com', 'JÜRGEN@EXAMPLE.COM'],
  ['a domain in Unicode and in Punycode', 'x@bücher.example', 'x@xn--bcher-kva.example'],
  ['ß and the SS of its upper case', 'strauß@example.com', 'STRAUSS@example.com'],
]

const SCOPES: readonly (readonly [what: string, baseUrl: string, account: string])[] = [
  ['the case of the host, and its final dot', 'HTTPS://Certify.TEST.', 'acme'],
  ['the default port, and slashes', 'https://certify.test:443//', 'acme'],
  ['space around the account', 'https://certify.test', ' acme\t'],
]

export const comparing: readonly Rule[] = [
  ...TARGETS.map(
    ([what, target, kind]): Rule => ({
      title: `are compared by their keys: ${what}`,
      test: async ({ ledger }) => {
        await record(ledger, 'a', undefined)
        expect(await ledger.lookUp(scope, [target])).toMatchObject(kind === 'claimed' ? [undefined] : [{ kind }])
        expect(await kindOf(ledger, { target })).toBe(kind)
      },
    }),
  ),
  ...SPELLINGS.map(
    ([what, one, other]): Rule => ({
      title: `are found by every spelling of an address: ${what}`,
      test: async ({ ledger }) => {
        await record(ledger, 'a', created(invite('inv_1')), { target: single(one) })
        expect(await kindOf(ledger, { target: single(other) })).toBe('invited')
        expect(await referencesOf(ledger.list({ email: other }))).toEqual(['a'])
        expect(await ledger.purge({ email: other })).toEqual({ removed: 1, kept: 0 })
      },
    }),
  ),
  ...SCOPES.map(
    ([what, baseUrl, account]): Rule => ({
      title: `are found by every spelling of a scope: ${what}`,
      test: async ({ ledger }) => {
        const respelt = { baseUrl, account, world: '' }
        await record(ledger, 'a', undefined, { scope: respelt })
        const entries = [{ ...scope, reference: 'a' }]
        expect(await ledger.claim(request('b'))).toMatchObject({ kind: 'in-flight', entries })
        for (const each of [scope, respelt]) {
          expect(await ledger.lookUp(each, [single('ada@example.com')])).toMatchObject([{ kind: 'in-flight' }])
          expect(await all(ledger.list(each))).toMatchObject(entries)
        }
      },
    }),
  ),
  ...[{ account: 'other' }, { account: 'Acme' }, { world: 'other' }, { baseUrl: 'https://other.test' }].map(
    (other): Rule => ({
      title: `of another scope never conflict: ${Object.entries(other).join()}`,
      test: async ({ ledger }) => {
        await record(ledger, 'a', undefined)
        const elsewhere = { ...scope, ...other }
        expect(await ledger.lookUp(elsewhere, [single('ada@example.com')])).toEqual([undefined])
        expect(await kindOf(ledger, { scope: elsewhere })).toBe('claimed')
      },
    }),
  ),
  {
    title: 'of two packages conflict if they share a quiz, or are the same',
    test: async ({ ledger }) => {
      const email = 'ada@example.com'
      await record(ledger, 'a', created(), { target: { email, packageId: 'one', quizIds: ['q1', 'q2'] } })
      const packages: readonly (readonly [Target, string])[] = [
        [{ email, packageId: 'two', quizIds: ['q2', 'q3'] }, 'invited'],
        [{ email, packageId: ' one', quizIds: [] }, 'invited'],
        [{ email, packageId: 'two', quizIds: ['q3'] }, 'claimed'],
      ]
      for (const [target, kind] of packages) expect(await kindOf(ledger, { target })).toBe(kind)
    },
  },
  {
    title: 'keep the identifiers that the caller wrote in the input only',
    test: async ({ ledger }) => {
      const target = { email: 'ada@example.com', packageId: ' pkg', quizIds: [] }
      await record(ledger, 'a', undefined, { target })
      for (const packageId of ['pkg', 'pkg\t']) {
        expect(await all(ledger.list({ packageId }))).toMatchObject([
          { packageId: 'pkg', quizId: undefined, input: { packageId: ' pkg' } },
        ])
      }
      expect(await kindOf(ledger, { target: { ...target, packageId: 'pkg ' } })).toBe('in-flight')
    },
  },
  {
    title: 'of a package include the quizzes that its response names',
    test: async ({ ledger }) => {
      await record(ledger, 'a', undefined, { target: { email: 'ada@example.com', quizIds: [], packageId: 'p' } })
      const skill = invite('inv_1', { quizId: ' quiz', skillName: 'State', level: 'BEGINNER' })
      await ledger.settle('a', { state: 'created', invites: [skill], packageName: 'React' })
      expect(await ledger.claim(request('b'))).toMatchObject({
        kind: 'invited',
        entries: [{ packageId: 'p', packageName: 'React', invites: [skill] }],
      })
      expect(await referencesOf(ledger.list({ quizId: 'quiz' }))).toEqual(['a'])
    },
  },
  {
    title: 'in another spelling of the quiz count as the same when an unknown outcome is superseded',
    test: async ({ ledger }) => {
      await record(ledger, 'a', { state: 'unknown' }, { target: single('ada@example.com', 'quiz ') })
      await record(ledger, 'b', created(invite('inv_1')), { although: { unknown: true } })
      expect(await kindOf(ledger)).toBe('invited')
    },
  },
]
