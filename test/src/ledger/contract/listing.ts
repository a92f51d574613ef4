import { expect } from 'vitest'
import type { LedgerFilter } from '../../../../src/ledger/rules/entry.ts'
import { all, created, invite, record, referencesOf, scope, settle, single, stateOf } from './samples.ts'
import type { Rule, Setting } from './setting.ts'
import { DAY_MS } from '../setting.ts'

/** A number of entries that needs more than one page. */
const MANY = 520
/** The number of entries recorded at the same moment. */
const TOGETHER = 40

export const listing: readonly Rule[] = [
  {
    title: 'a long list has each entry once, in order, across its pages',
    test: async (setting) => {
      const { ledger } = setting
      await recordMany(setting, (index) =>
        created(invite(`inv_${index}`, { expiresAt: `2030-01-0${(index % 3) + 2}T00:00:00.000Z` })),
      )
      const found = await all(ledger.list())
      expect([found.length, new Set(found.map(({ reference }) => reference)).size]).toEqual([MANY, MANY])
      const times = found.map(({ sentAt }) => sentAt)
      expect(times).toEqual(times.toSorted().toReversed())
      expect(await referencesOf(ledger.list({ quizId: 'even' }))).toHaveLength(MANY / 2)
      const expiring = await all(ledger.expiring(10 * DAY_MS))
      expect([expiring.length, new Set(expiring.map(({ reference }) => reference)).size]).toEqual([MANY, MANY])
      const expiries = expiring.map(({ invites }) => invites[0]?.expiresAt ?? '')
      expect(expiries).toEqual(expiries.toSorted())
    },
  },
  {
    title: 'a list read during writes has each earlier entry once',
    test: async (setting) => {
      const { ledger } = setting
      await recordMany(setting)
      const seen: string[] = []
      for await (const { reference } of ledger.list()) {
        seen.push(reference)
        if (seen.length % 100 !== 1) continue
        await record(ledger, `new-${seen.length}`, undefined, { target: single(`new-${seen.length}@example.com`) })
        await settle(ledger, `r${seen.length}`, { state: 'refused' })
      }
      const earlier = seen.filter((reference) => !reference.startsWith('new-'))
      expect([earlier.length, new Set(earlier).size]).toEqual([MANY, MANY])
      expect(await stateOf(ledger, 'r101')).toBe('refused')
    },
  },
  ...filters().map(
    ([what, filter, expected]): Rule => ({
      title: `the list is filtered by ${what}`,
      test: async (setting) => {
        await recordDifferent(setting)
        expect(await referencesOf(setting.ledger.list(filter))).toEqual(expected)
      },
    }),
  ),
  {
    title: 'expiring lists the earliest expiry first, then the earliest send, and nothing that has expired',
    test: async ({ ledger, clock }) => {
      clock.advance(9 * DAY_MS)
      for (const [reference, day] of [
        ['after', '14'],
        ['soon', '12'],
        ['gone', '10'],
        ['sooner', '11'],
        ['soon too', '12'],
        ['just', '13'],
      ] as const) {
        const expiresAt = `2030-01-${day}T00:00:00.000Z`
        const more = { target: single(`${reference.replace(' ', '-')}@example.com`), campaign: day }
        await record(ledger, reference, created(invite(reference, { expiresAt })), more)
      }
      await record(ledger, 'unknown', { state: 'unknown' })
      expect(await referencesOf(ledger.expiring(3 * DAY_MS))).toEqual(['sooner', 'soon', 'soon too', 'just'])
      expect(await referencesOf(ledger.expiring(3 * DAY_MS - 1))).toEqual(['sooner', 'soon', 'soon too'])
      expect(await referencesOf(ledger.expiring(3 * DAY_MS, { campaign: '12' }))).toEqual(['soon', 'soon too'])
    },
  },
]

async function recordMany(
  { ledger, clock }: Setting,
  endOf?: (index: number) => ReturnType<typeof created>,
): Promise<void> {
  for (let first = 0; first < MANY; first += TOGETHER) {
    const indexes = Array.from({ length: TOGETHER }, (_each, index) => first + index)
    await Promise.all(
      indexes.map(async (index) => {
        const target = single(`c${index}@example.com`, index % 2 === 0 ? 'even' : 'odd')
        await record(ledger, `r${index}`, endOf?.(index), { target })
      }),
    )
    clock.advance(1000)
  }
}

/* `one`, `two`, `three`: each filter matches some of them. */
async function recordDifferent({ ledger, clock }: Setting): Promise<void> {
  await record(ledger, 'one', created(invite('inv_1')), { campaign: 'spring', row: 1 })
  clock.advance(1000)
  const target = { email: 'grace@example.com', packageId: 'pkg', quizIds: ['quiz', 'other'] }
  await record(ledger, 'two', { state: 'refused' }, { target, campaign: 'spring' })
  clock.advance(1000)
  await record(ledger, 'three', undefined, {
    scope: { baseUrl: 'https://other.test', account: 'globex', world: 'w' },
    target: single('Grace@example.com', 'other'),
    campaign: 'summer',
  })
}

function filters(): readonly (readonly [what: string, filter: LedgerFilter, expected: readonly string[]])[] {
  return [
    ['an address in any spelling', { email: ' GRACE@example.com' }, ['three', 'two']],
    ['a quiz, also of a package', { quizId: 'quiz' }, ['two', 'one']],
    ['a quiz with blanks', { quizId: ' other ' }, ['three', 'two']],
    ['a package', { packageId: 'pkg' }, ['two']],
    ['an invite', { inviteId: 'inv_1' }, ['one']],
    ['a state', { state: 'refused' }, ['two']],
    ['a time, and later', { since: '2030-01-01T00:00:01Z' }, ['three', 'two']],
    ['a time, as a Date', { since: new Date('2030-01-01T00:00:01Z') }, ['three', 'two']],
    ['a campaign', { campaign: 'spring' }, ['two', 'one']],
    ['a service', { baseUrl: 'HTTPS://OTHER.test/' }, ['three']],
    ['an account', { account: ' acme' }, ['two', 'one']],
    ['a world', { world: 'w' }, ['three']],
    ['an empty world', { world: '' }, ['two', 'one']],
    ['a whole scope', scope, ['two', 'one']],
    ['everything that is set', { campaign: 'spring', quizId: 'quiz', email: 'grace@example.com' }, ['two']],
    ['fields that are not set', { campaign: undefined, quizId: undefined, state: undefined }, ['three', 'two', 'one']],
    ['nothing together', { campaign: 'summer', state: 'refused' }, []],
  ]
}
