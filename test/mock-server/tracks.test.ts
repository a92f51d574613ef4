import { expect, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import type { Track } from '../../mock-server/generated/contract.ts'
import { listTracks } from './calls.ts'

const slugs = (tracks: readonly { slug: string }[]): string[] => tracks.map(({ slug }) => slug)

test('a listed skill has all six fields of its quiz', async () => {
  const [react] = await listTracks(createMockServer(), { trackSlug: 'react' })
  expect(react?.packages[0]?.skills[0]).toEqual({
    quizId: 'quiz_react_beginner_components',
    skillName: 'Components and JSX',
    level: 'BEGINNER',
    durationMinutes: 30,
    enabledLanguages: ['en', 'de', 'fr', 'es', 'pt-BR'],
    conceptsTested: ['JSX expressions', 'Props', 'Conditional rendering', 'Lists and keys'],
  })
})

test('only packages whose quizzes are all READY are listed', async () => {
  const mock = createMockServer()
  const listed = async (): Promise<string[]> =>
    (await listTracks(mock, { trackSlug: 'cloud-operations' })).flatMap(({ packages }) => packages.map(({ id }) => id))
  expect(await listed()).toEqual(['pkg_cloud_operations_beginner', 'pkg_cloud_operations_advanced'])
  mock.enableQuiz('quiz_cloud_intermediate_observability')
  expect(await listed()).toHaveLength(3)
  mock.disableQuiz('quiz_linux_beginner')
  expect(await listed()).toEqual(['pkg_cloud_operations_intermediate', 'pkg_cloud_operations_advanced'])
})

test('packages are listed by level, whatever their order in the data', async () => {
  const { tracks } = createMockServer()
  const backwards = tracks.map((track) => Object.assign({}, track, { packages: track.packages.toReversed() }))
  const [react] = await listTracks(createMockServer({ world: { tracks: backwards } }))
  expect(react?.packages.map(({ level }) => level)).toEqual(['BEGINNER', 'INTERMEDIATE', 'ADVANCED', 'EXPERT'])
})

test('a package without skills is never listed', async () => {
  const hollow = { id: 'pkg_hollow', name: 'Hollow', level: 'BEGINNER', description: '', quizIds: [] } as const
  const tracks: Track[] = [{ id: 'trk_hollow', name: 'Hollow', slug: 'hollow', packages: [hollow] }]
  expect((await listTracks(createMockServer({ world: { tracks } })))[0]?.packages).toEqual([])
})

test.each([
  ['react', ['react']],
  ['REACT', ['react']],
  ['data practitioner', ['python-data']],
  ['Practitioner', ['react', 'python-data', 'sql']],
  ['cloud', ['cloud-operations']],
  ['Cloud Operations Practitioner', []],
  ['Observability', []],
  ['', ['react', 'python-data', 'cloud-operations', 'sql']],
  ['   ', ['react', 'python-data', 'cloud-operations', 'sql']],
  [null, ['react', 'python-data', 'cloud-operations', 'sql']],
])('search %j matches names of tracks and of deliverable packages: %j', async (search, expected) => {
  expect(slugs(await listTracks(createMockServer(), { search }))).toEqual(expected)
})

test.each([
  ['ΟΔΟΣΑ', 'ΔΟΣ'],
  ['ΟΔΟΣΑ', 'δος'],
  ['Οδός', 'ΟΔΌΣ'],
  ['K8s', 'k8S'],
  ['C++ (modern)', 'c++ ('],
  ['Straße', 'straßE'],
])('search is a case-insensitive, literal match: the track %j is found by %j', async (name, search) => {
  const mock = createMockServer({ world: { tracks: [{ id: 'trk', name, slug: 'own', packages: [] }] } })
  expect(slugs(await listTracks(mock, { search }))).toEqual(['own'])
})

test('a match on a package name returns its track with all its deliverable packages', async () => {
  const [python] = await listTracks(createMockServer(), { search: 'data practitioner' })
  expect(python?.packages).toHaveLength(3)
})

test.each([
  ['react', ['react']],
  ['React', []],
  ['rea', []],
  ['', []],
  ['cobol', []],
])('trackSlug %j is matched exactly and returns %j', async (trackSlug, expected) => {
  expect(slugs(await listTracks(createMockServer(), { trackSlug }))).toEqual(expected)
})

test('search and trackSlug must both match', async () => {
  const mock = createMockServer()
  expect(slugs(await listTracks(mock, { search: 'practitioner', trackSlug: 'sql' }))).toEqual(['sql'])
  expect(slugs(await listTracks(mock, { search: 'react', trackSlug: 'sql' }))).toEqual([])
})

test('a tester sees undeliverable packages too, marked as such', () => {
  const mock = createMockServer()
  const shut = mock.tracks.flatMap(({ packages }) => packages).filter(({ deliverable }) => !deliverable)
  expect(shut.map(({ id }) => id)).toEqual(['pkg_cloud_operations_intermediate'])
})
