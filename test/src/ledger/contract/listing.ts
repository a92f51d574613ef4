import { expect } from 'vitest'
import type { LedgerFilter, Settlement } from '../../../../src/ledger/rules/model.ts'
import { completed } from './events.ts'
import {
  all,
  created,
  invite,
  LEASE_MS,
  recordCreate,
  referencesOf,
  scope,
  settle,
  single,
  stateOf,
} from './samples.ts'
import { rules, type Setting } from './setting.ts'
import { DAY_MS } from '../setting.ts'

/** A number of records that needs more than one page. */
const MANY = 520
/** The number of records recorded at the same moment. */
const TOGETHER = 40

const WRONG: readonly (readonly [path: string, filter: object])[] = [
  ['state', { state: 'lost' }],
  ['since', { since: 'yesterday' }],
  ['since', { since: new Date(Number.NaN) }],
  ['limit', { limit: 0 }],
  ['limit', { limit: 1.5 }],
  ['limit', { limit: '10' }],
  ['before', { before: 'nothing-has-this' }],
  ['account', { account: 7 }],
  ['email', { email: 'a\0@example.com' }],
  ['references', { references: 'one' }],
  ['references.1', { references: ['one', 2] }],
  ['references', { references: Array.from({ length: 1001 }, () => 'one') }],
  ['hasResult', { hasResult: 'yes' }],
  ['decided', { decided: 1 }],
  ['orderBy', { orderBy: 'name' }],
  ['acount', { acount: 'acme' }],
]

export const listing = rules((test) => {
  test('a long list has each record once, in order, across its pages', async (setting) => {
    const { ledger } = setting
    await recordMany(setting, (index) =>
      created(invite(`inv_${index}`, { expiresAt: `2030-01-0${(index % 3) + 2}T00:00:00.000Z` })),
    )
    const found = await all(ledger.list())
    expect([found.length, new Set(found.map(({ reference }) => reference)).size]).toEqual([MANY, MANY])
    const times = found.map(({ sentAt }) => sentAt)
    expect(times).toEqual(times.toSorted().toReversed())
    expect(await referencesOf(ledger.list({ quizId: 'even' }))).toHaveLength(MANY / 2)
    const expiring = await all(ledger.list({ expiringWithinMs: 10 * DAY_MS }))
    expect([expiring.length, new Set(expiring.map(({ reference }) => reference)).size]).toEqual([MANY, MANY])
    const expiries = expiring.map(({ invites }) => invites[0]?.expiresAt ?? '')
    expect(expiries).toEqual(expiries.toSorted())
  })

  test('a list read during writes has each earlier record once', async (setting) => {
    const { ledger } = setting
    await recordMany(setting)
    const seen: string[] = []
    for await (const { reference } of ledger.list()) {
      seen.push(reference)
      if (seen.length % 100 !== 1) continue
      await recordCreate(ledger, `new-${seen.length}`, undefined, {
        target: single(`new-${seen.length}@example.com`),
      })
      await settle(ledger, `r${seen.length}`, { state: 'refused' })
    }
    const earlier = seen.filter((reference) => !reference.startsWith('new-'))
    expect([earlier.length, new Set(earlier).size]).toEqual([MANY, MANY])
    expect(await stateOf(ledger, 'r101')).toBe('refused')
  })

  for (const [what, filter, expected] of filters()) {
    test(`the list is filtered by ${what}`, async (setting) => {
      await recordDifferent(setting)
      expect(await referencesOf(setting.ledger.list(filter))).toEqual(expected)
    })
  }

  test('expiring lists the earliest expiry, then send, first, and nothing expired', async ({ ledger, clock }) => {
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
      await recordCreate(ledger, reference, created(invite(reference, { expiresAt })), more)
    }
    await recordCreate(ledger, 'unknown', { state: 'unknown' })
    expect(await referencesOf(ledger.list({ expiringWithinMs: 3 * DAY_MS }))).toEqual([
      'sooner',
      'soon',
      'soon too',
      'just',
    ])
    expect(await referencesOf(ledger.list({ expiringWithinMs: 3 * DAY_MS - 1 }))).toEqual([
      'sooner',
      'soon',
      'soon too',
    ])
    expect(await referencesOf(ledger.list({ expiringWithinMs: 3 * DAY_MS, campaign: '12' }))).toEqual([
      'soon',
      'soon too',
    ])
    const page = (before?: string) =>
      referencesOf(ledger.list({ expiringWithinMs: 3 * DAY_MS, account: 'acme', limit: 2, before }))
    expect([await page(), await page('soon'), await page('just')]).toEqual([
      ['sooner', 'soon'],
      ['soon too', 'just'],
      [],
    ])
  })

  test('creates are expired from the moment when their last link is; what made no invite is neither that nor open', async ({
    ledger,
    clock,
  }) => {
    const until = (...days: readonly number[]) =>
      created(...days.map((day) => invite(`inv_${day}`, { expiresAt: `2030-01-0${day}T00:00:00.000Z` })))
    const target = { email: 'b@example.com', packageId: 'pkg', quizIds: ['quiz', 'other'] }
    await recordCreate(ledger, 'first', until(3), { target: single('a@example.com') })
    await recordCreate(ledger, 'package', until(2, 4), { target })
    for (const state of ['unknown', 'refused'] as const)
      await recordCreate(ledger, state, { state }, { target: single(`${state}@example.com`) })
    const found = async () => [
      await referencesOf(ledger.list({ expired: true, account: 'acme' })),
      await referencesOf(ledger.list({ expired: false })),
      await ledger.count({ expired: true }),
      await ledger.count({ expired: false, hasResult: false }),
    ]
    clock.advance(2 * DAY_MS - 1)
    expect(await found()).toEqual([[], ['package', 'first'], 0, 2])
    clock.advance(1)
    expect(await found()).toEqual([['first'], ['package'], 1, 1])
    clock.advance(DAY_MS)
    expect(await found()).toEqual([['package', 'first'], [], 2, 0])
  })

  test('a create whose lease has ended is listed and counted as unknown, not as sending', async ({ ledger, clock }) => {
    await recordCreate(ledger, 'unknown', { state: 'unknown' }, { target: single('a@example.com') })
    await recordCreate(ledger, 'sent', undefined, { target: single('b@example.com') })
    clock.advance(LEASE_MS - 1)
    await recordCreate(ledger, 'new', undefined, { target: single('c@example.com') })
    const lists = async () => [
      await referencesOf(ledger.list({ state: 'unknown', account: 'acme' })),
      await referencesOf(ledger.list({ state: 'sending' })),
      await ledger.count({}, { by: 'state' }),
      await ledger.count({ state: 'unknown' }),
    ]
    expect(await lists()).toEqual([['unknown'], ['new', 'sent'], { unknown: 1, sending: 2 }, 1])
    clock.advance(1)
    expect(await lists()).toEqual([['sent', 'unknown'], ['new'], { unknown: 2, sending: 1 }, 2])
  })

  test('a list is ordered, page by page, by the create, the expiry or the last decision', async ({ ledger, clock }) => {
    for (const [reference, day] of [
      ['a', '12'],
      ['b', '11'],
      ['c', '11'],
    ] as const) {
      const ends = [created(invite(reference, { expiresAt: `2030-01-${day}T00:00:00.000Z` })), { state: 'unknown' }]
      await recordCreate(ledger, reference, ends[reference === 'c' ? 1 : 0] as Settlement, {
        target: single(`${reference}@example.com`),
      })
      clock.advance(1000)
    }
    const old = {
      email: 'd@example.com',
      quizId: 'quiz',
      createdAt: '2029-12-20T00:00:00Z',
      reference: 'd',
      from: 'ATS',
    }
    await ledger.import([old], scope)
    await ledger.resolve('c', { notCreated: true, by: 'Ann' })
    const pages = async (filter: LedgerFilter) => {
      const first = await referencesOf(ledger.list({ ...filter, limit: 2 }))
      return [...first, ...(await referencesOf(ledger.list({ ...filter, limit: 2, before: first.at(-1) })))]
    }
    expect(await pages({})).toEqual(['d', 'c', 'b', 'a'])
    expect(await pages({ orderBy: 'sent', account: 'acme' })).toEqual(['c', 'b', 'a', 'd'])
    expect(await pages({ orderBy: 'expiry', account: 'acme', state: 'created' })).toEqual(['d', 'b', 'a'])
    expect(await pages({ orderBy: 'decided' })).toEqual(['c'])
  })

  test('a record keeps the last decision, whatever happens later, and is listed by it', async ({ ledger, clock }) => {
    for (const reference of ['a', 'b', 'c']) {
      await recordCreate(ledger, reference, { state: 'unknown' }, { target: single(`${reference}@example.com`) })
      clock.advance(1000)
    }
    await ledger.resolve('b', { created: 'inv_b', by: 'Ann', note: 'she has the e-mail' })
    clock.advance(1000)
    await ledger.resolve('a', { notCreated: true, by: 'Bob' })
    for (let count = 0; count < 30; count += 1) {
      clock.advance(1000)
      await ledger.inbox.learn(completed(`inv_${count}`, 'passed', { reference: 'a' }))
    }
    const { decision, history } = (await ledger.find('a')) ?? { history: [] }
    expect(history.some(({ what }) => what === 'resolved')).toBe(false)
    expect(decision).toMatchObject({
      what: 'resolved',
      finding: 'not-created',
      by: 'Bob',
      at: '2030-01-01T00:00:04.000Z',
    })
    expect(await referencesOf(ledger.list({ decided: true, orderBy: 'decided' }))).toEqual(['a', 'b'])
    expect(await referencesOf(ledger.list({ decided: false }))).toEqual(['c'])
    await ledger.resolve('b', { undo: true, by: 'Eve' })
    expect(await referencesOf(ledger.list({ orderBy: 'decided', limit: 1 }))).toEqual(['b'])
    expect(await ledger.find('b')).toMatchObject({ decision: { what: 'undone', by: 'Eve' } })
    expect(await ledger.count({ decided: true })).toBe(2)
  })

  test('a page has at most as many entries as asked for, and the next one continues after its last', async (setting) => {
    const { ledger } = setting
    await recordMany(setting)
    const whole = await referencesOf(ledger.list({ quizId: 'even' }))
    const paged: string[] = []
    for (let size = 0; paged.length === size; size += 65)
      paged.push(...(await referencesOf(ledger.list({ quizId: 'even', limit: 65, before: paged.at(-1) }))))
    expect(paged).toEqual(whole)
    expect(await referencesOf(ledger.list({ limit: 201 }))).toHaveLength(201)
  })

  test('entries are counted by what they have: by each of their quizzes and results', async (setting) => {
    const { ledger } = setting
    await recordDifferent(setting)
    await ledger.inbox.learn(completed('inv_1', 'passed', { reference: 'one' }))
    await ledger.inbox.learn(completed('inv_2', 'failed', { reference: 'one' }))
    expect(await ledger.count()).toBe(3)
    expect(await ledger.count({ references: ['one', 'three', 'four'], campaign: 'spring' })).toBe(1)
    expect(await referencesOf(ledger.list({ result: 'failed' }))).toEqual(['one'])
    expect(await referencesOf(ledger.list({ hasResult: true }))).toEqual(['one'])
    expect(await referencesOf(ledger.list({ hasResult: false }))).toEqual(['three', 'two'])
    for (const [by, counts] of [
      ['state', { created: 1, refused: 1, sending: 1 }],
      ['campaign', { spring: 2, summer: 1 }],
      ['package', { pkg: 1 }],
      ['quiz', { quiz: 2, other: 2 }],
      ['result', { passed: 1, failed: 1 }],
    ] as const)
      expect(await ledger.count({}, { by })).toEqual(counts)
    expect(await ledger.count({ account: 'globex' }, { by: 'quiz' })).toEqual({ other: 1 })
  })

  test('text that a query could mistake for another text is found, and nothing else', async ({ ledger }) => {
    const texts = ['50%', '50_', '"x\\', 'x"x', 'line\nbreak', 'nul\0', 'É', 'é', '\n', '__proto__']
    for (const [index, text] of texts.entries()) {
      const more = {
        target: single(`c${index}@example.com`, text),
        scope: { ...scope, account: text, world: 'w' },
        campaign: text,
      }
      await recordCreate(ledger, `r${index}`, undefined, more)
    }
    const keys = texts.map((text) => text.trim())
    for (const [index, text] of texts.entries()) {
      for (const filter of [{ quizId: text }, { account: text }, { campaign: text }])
        expect(await referencesOf(ledger.list(filter))).toEqual([`r${index}`])
    }
    const counts = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 1]))
    expect(await ledger.count({}, { by: 'quiz' })).toEqual(counts(keys))
    expect(await ledger.count({}, { by: 'campaign' })).toEqual(counts(texts))
  })

  for (const [path, filter] of WRONG) {
    test(`a filter is refused for its field ${path}: ${JSON.stringify(filter).slice(0, 40)}`, async ({ ledger }) => {
      const refused = { code: 'INPUT_INVALID', issues: [{ path }] }
      await expect(all(ledger.list(filter as LedgerFilter))).rejects.toMatchObject(refused)
      await expect(ledger.count(filter as LedgerFilter)).rejects.toMatchObject({ code: 'INPUT_INVALID' })
    })
  }

  test('a span that is no number of milliseconds is refused: it does not mean nothing expires', async ({ ledger }) => {
    for (const span of [Number.NaN, -1, Number.POSITIVE_INFINITY, '3d' as never])
      await expect(all(ledger.list({ expiringWithinMs: span }))).rejects.toMatchObject({
        issues: [{ path: 'expiringWithinMs' }],
      })
  })

  test('a count is refused by an unknown field, and for a page', async ({ ledger }) => {
    for (const [path, counted] of [
      ['by', ledger.count({}, { by: 'email' as 'state' })],
      ['limit', ledger.count({ limit: 1 } as LedgerFilter)],
    ] as const)
      await expect(counted).rejects.toMatchObject({ code: 'INPUT_INVALID', issues: [{ path }] })
  })
})

async function recordMany(
  { ledger, clock }: Setting,
  endOf?: (index: number) => ReturnType<typeof created>,
): Promise<void> {
  for (let first = 0; first < MANY; first += TOGETHER) {
    const indexes = Array.from({ length: TOGETHER }, (_each, index) => first + index)
    await Promise.all(
      indexes.map(async (index) => {
        const target = single(`c${index}@example.com`, index % 2 === 0 ? 'even' : 'odd')
        await recordCreate(ledger, `r${index}`, endOf?.(index), { target })
      }),
    )
    clock.advance(1000)
  }
}

/* `one`, `two`, `three`: each filter matches some of them. */
async function recordDifferent({ ledger, clock }: Setting): Promise<void> {
  await recordCreate(ledger, 'one', created(invite('inv_1')), { campaign: 'spring', row: 1 })
  clock.advance(1000)
  const target = { email: 'grace@example.com', packageId: 'pkg', quizIds: ['quiz', 'other', 'quiz'] }
  await recordCreate(ledger, 'two', { state: 'refused' }, { target, campaign: 'spring' })
  clock.advance(1000)
  await recordCreate(ledger, 'three', undefined, {
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
    ['references', { references: ['three', 'four', 'one'] }, ['three', 'one']],
    ['no reference', { references: [] }, []],
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
