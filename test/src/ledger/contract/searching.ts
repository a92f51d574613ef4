import { expect } from 'vitest'
import { completed } from './events.ts'
import { created, invite, recordCreate, referencesOf, scope, single } from './samples.ts'
import { rules, type Setting } from './setting.ts'

const FOUND: readonly (readonly [search: string, expected: readonly string[]])[] = [
  ['knuth', ['zoe']],
  ['  KNUTH   zoe ', ['zoe']],
  ['acme.example', ['zoe']],
  ['zoe', ['zoe']],
  ['ZOË', ['zoe']],
  ['soren Lodz', ['soren']],
  ['strasse', ['soren']],
  ['ΟΔΟΣ', ['greek']],
  ['οδοσ', ['greek']],
  ['state and ev', ['zoe']],
  ['State and Events (BEGINNER)', ['zoe']],
  ['state and events, beginner', ['zoe']],
  ['spring', ['zoe', 'soren']],
  ['quiz_react', ['zoe']],
  ['inv_zoe', ['zoe']],
  ['v_later', ['soren']],
  ['100%', ['greek']],
  ['1000', []],
  ['_', ['zoe', 'soren']],
  ['zoe greek', []],
  ['\0zoe\ud800', ['zoe']],
  ["'; --", []],
]

export const searching = rules((test) => {
  for (const [search, expected] of FOUND) {
    test(`a search finds any part of what a list shows, without case and accents: ${JSON.stringify(search)}`, async (setting) => {
      await recordPeople(setting)
      const { ledger } = setting
      expect((await referencesOf(ledger.list({ search, orderBy: 'sent' }))).toReversed()).toEqual(expected)
      expect(await ledger.count({ search, account: 'acme' })).toBe(expected.length)
      const groups = await ledger.progress(0, { search, account: 'acme' })
      expect(groups.reduce((sum, { records }) => sum + records, 0)).toBe(expected.length)
    })
  }

  test('a blank search finds everything, and one of more than 200 characters is refused', async (setting) => {
    await recordPeople(setting)
    const { ledger } = setting
    expect(await referencesOf(ledger.list({ search: ' (,) ' }))).toHaveLength(3)
    expect(await referencesOf(ledger.list({ search: 'z'.repeat(200) }))).toEqual([])
    await expect(ledger.count({ search: 'z'.repeat(201) })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      issues: [{ path: 'search' }],
    })
  })

  test('a very long name is found by its beginning', async ({ ledger }) => {
    const name = `Ada ${'e\u0301\u0323'.repeat(20_000)}`
    const input = { quizId: 'quiz', candidate: { email: 'ada@example.com', name } }
    await recordCreate(ledger, 'long', undefined, { input })
    expect(await referencesOf(ledger.list({ search: 'ada ee' }))).toEqual(['long'])
  })

  test('titles from any list are recorded with a create, and given to earlier records', async ({ ledger }) => {
    const listed = [
      { id: 'pkg', name: 'React', level: 'BEGINNER', description: null, skills: [skill('quiz', 'State')] },
    ]
    const elsewhere = { ...scope, account: 'globex', baseUrl: 'https://other.test' }
    await recordCreate(ledger, 'before', { state: 'unknown' }, { target: single('a@example.com') })
    await recordCreate(ledger, 'other', undefined, { target: single('b@example.com', 'unlisted') })
    await recordCreate(ledger, 'elsewhere', undefined, { scope: elsewhere })
    ledger.learnTitles('https://certify.test/api/developer/graphql', [
      { id: 't', name: null, slug: 't', packages: listed },
    ])
    const target = { email: 'c@example.com', packageId: ' pkg ', quizIds: ['quiz'] }
    await recordCreate(ledger, 'package', created(invite('inv_p')), { target })
    await recordCreate(ledger, 'after', undefined, { target: single('d@example.com', ' quiz') })
    const titleOf = async (reference: string) => {
      const { title, level } = (await ledger.find(reference)) ?? {}
      return [title, level]
    }
    await expect.poll(() => titleOf('before')).toEqual(['State', 'ADVANCED'])
    expect(await titleOf('package')).toEqual(['React', 'BEGINNER'])
    expect(await titleOf('after')).toEqual(['State', 'ADVANCED'])
    expect(await titleOf('other')).toEqual([undefined, undefined])
    expect(await titleOf('elsewhere')).toEqual([undefined, undefined])
    expect(await referencesOf(ledger.list({ search: 'state advanced' }))).toEqual(['after', 'before'])
  })
})

/* A list of one package, without a title, as a service returns it. */
export function tracksOf(skills: readonly ReturnType<typeof skill>[]) {
  return [
    { id: 't', name: null, slug: 't', packages: [{ id: 'pkg', name: '', level: null, description: null, skills }] },
  ]
}

export function skill(quizId: string, skillName: string) {
  return { quizId, skillName, level: 'ADVANCED', durationMinutes: null, enabledLanguages: [], conceptsTested: [] }
}

async function recordPeople({ ledger, clock }: Setting): Promise<void> {
  const skills = [{ ...skill('quiz_react', 'State and Events'), level: 'BEGINNER' }]
  ledger.learnTitles(scope.baseUrl, tracksOf(skills))
  for (const [reference, name, email, quizId, campaign] of [
    ['zoe', 'Zoe\u0308 Knuth', 'zoe.knuth@acme.example', 'quiz_react', 'spring.csv'],
    ['soren', 'Søren, Łódź Straße', 's@example.com', 'quiz', 'SPRING_2'],
    ['greek', 'Οδός 100%', 'o@example.com', 'quiz', undefined],
  ] as const) {
    const input = { quizId, candidate: { email, name } }
    await recordCreate(ledger, reference, created(invite(`inv-${reference}`.replace('-z', '_z'))), {
      input,
      target: single(email, quizId),
      ...(campaign !== undefined && { campaign }),
    })
    clock.advance(1000)
  }
  await ledger.inbox.learn(completed('inv_later', 'passed', { reference: 'soren' }))
}
