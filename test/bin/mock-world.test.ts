import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { parse } from 'yaml'
import { fromJSONSchema } from 'zod'
import { worldJsonSchema } from '../../mock-server/contract/world.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { ownFolder } from '../src/ledger/setting.ts'
import { execMock, startMock } from './mock-exec.ts'
import { createRunner } from './run.ts'

let folder: string
beforeEach(() => {
  folder = ownFolder()
})

const YAML = `# a bakery
quizzes:
  - id: quiz_bread
    skillName: Bread
    level: BEGINNER
    ready: true
    durationMinutes: 20
    enabledLanguages: [en]
    conceptsTested: &none []
tracks: *none
candidates:
  - email: ada@example.com
    attempts:
      - quizId: quiz_bread
        startedAt: 2030-01-01T00:00:00Z
apiKeys:
  - { name: baker, key: ck_baker, scopes: [CERTIFICATION_INVITE_CREATE] }
behaviour:
  pendingInvite: refuse
  errorStatus: 400
`

/** The responses of the control API at these paths, and the key of the command, for a mock with these flags. */
async function seenWith(files: Readonly<Record<string, string>>, flags: readonly string[], paths: readonly string[]) {
  const seen: Record<string, unknown> = {}
  let key: string | undefined
  const { code, stderr } = await execMock(
    flags,
    async ({ env, get }) => {
      key = env['CERTIFY_API_KEY']
      for (const path of paths) seen[path] = (await get(path)).body
    },
    { files },
  )
  return { code, stderr, seen, key }
}

test.each([
  ['world.yaml', YAML],
  ['world.YML', `--- # one document\r\n${YAML.replaceAll('\n', '\r\n')}...\r\n# the end\r\n`],
  ['world.json', JSON.stringify(parse(YAML))],
  ['world', `\uFEFF${JSON.stringify({ $schema: './x.json', ...parse(YAML) }, null, 2)}`],
])('--world %s starts with the world, the keys and the switches of the file', async (name, text) => {
  const paths = ['/__mock/quizzes', '/__mock/keys', '/__mock/behaviour', '/__mock/candidates/ada@example.com']
  const { code, stderr, seen, key } = await seenWith({ [name]: text }, ['--world', name], paths)
  expect([code, stderr, key]).toEqual([0, '', 'ck_baker'])
  expect(seen).toMatchObject({
    '/__mock/quizzes': { quizzes: [{ id: 'quiz_bread' }] },
    '/__mock/keys': { apiKeys: [{ name: 'baker', key: 'ck_baker' }] },
    '/__mock/behaviour': { pendingInvite: 'refuse', errorStatus: 400 },
    '/__mock/candidates/ada@example.com': { attempts: [{ startedAt: '2030-01-01T00:00:00.000Z' }] },
  })
})

test('--behaviour overrides the switches of --world', async () => {
  const flags = ['--world', 'w.yaml', '--behaviour', 'pendingInvite=allow']
  const { seen } = await seenWith({ 'w.yaml': YAML }, flags, ['/__mock/behaviour'])
  expect(seen).toMatchObject({ '/__mock/behaviour': { pendingInvite: 'allow', errorStatus: 400 } })
})

test('with --world and --state the data comes from the state, the keys and switches from the world', async () => {
  const mock = createMockServer({ now: '2030-01-01T00:00:00Z' })
  mock.candidate('grace@example.com').certify('quiz_sql_beginner_queries')
  const files = { 'w.yaml': YAML, 's.json': JSON.stringify(mock.snapshot()) }
  const paths = ['/__mock/quizzes', '/__mock/behaviour', '/__mock/candidates/grace@example.com']
  const { code, seen, key } = await seenWith(files, ['--world', 'w.yaml', '--state', 's.json'], paths)
  expect([code, key]).toEqual([0, 'ck_baker'])
  expect(seen).toMatchObject({
    '/__mock/quizzes': { quizzes: mock.quizzes },
    '/__mock/behaviour': { pendingInvite: 'refuse' },
    '/__mock/candidates/grace@example.com': { certifications: [{}] },
  })
})

test.each(['world.yaml', 'world.json'])('problems in %s are listed with line, path and rule', async (name) => {
  const wrong = YAML.replace('name: baker', 'nam: baker')
    .replace('ready: true', "ready: 'true'")
    .replace('refuse', 'deny')
  const text = name.endsWith('.yaml') ? wrong : JSON.stringify(parse(wrong), null, 2)
  const { code, stdout, stderr, ran } = await execMock(['--world', name], undefined, { files: { [name]: text } })
  expect([code, stdout, ran]).toEqual([2, '', false])
  const lineOf = (member: string) => text.split('\n').findIndex((line) => line.includes(member)) + 1
  expect(stderr).toBe(
    [
      `error: the world in ${name} has 4 problems; nothing was started.`,
      `  line ${lineOf('ready')}: quizzes[0].ready: this must be true or false`,
      `  line ${lineOf(name.endsWith('.yaml') ? '{ nam' : '"nam"') - (name.endsWith('.yaml') ? 0 : 1)}: apiKeys[0].name: this is missing`,
      `  line ${lineOf('nam')}: apiKeys[0].nam: an API key has no nam. Did you mean name?`,
      `  line ${lineOf('pendingInvite')}: behaviour.pendingInvite: this must be allow, refuse, return-existing`,
      'hint: `certify mock init` writes an example, which editors can check.',
      '',
    ].join('\n'),
  )
})

test('--json lists the problems in the order of their lines', async () => {
  const files = { 'w.yaml': YAML.replace('tracks: *none', 'tracks: {}').replace('# a bakery', 'apiKey: []') }
  const { code, stderr } = await startMock(['--json', '--world', 'w.yaml'], { files })
  expect(code).toBe(2)
  expect(JSON.parse(stderr)).toMatchObject({
    error: {
      code: 'USAGE',
      problems: [
        { path: 'apiKey', line: 1 },
        { path: 'tracks', line: 10, message: 'this must be a list' },
      ],
    },
  })
})

test.each([
  ['w.json', '{"candidates": [\n  "ada@example.com\n]}', 'is not valid YAML or JSON: see line'],
  ['w.yaml', 'a: 1\nb:\n  - c\n\t- ada@b.test\n', 'see line 4.'],
  ['w.yaml', 'tracks: []\nquizzes: [\n', 'see line 3.'],
  ['w.yaml', 'tracks: []\nname: a: ada@b.test\n', 'see line 2.'],
  ['w.yaml', '# a world\n---\ntracks: []\n...\n---\ntracks: []\n', 'is not valid YAML or JSON: see line 5.'],
  ['w.yaml', 'tracks: *ada\n', 'has an alias without an anchor, or too many'],
  ['w.yaml', '', 'has a problem'],
  ['none.yaml', undefined, 'the file of --world, none.yaml, cannot be read (ENOENT)'],
  ['w.yaml', '- a\n', 'has a problem'],
  [
    'w.yaml',
    `a: &a [x]\nb: &b [${'*a,'.repeat(50)}]\nc: [${'*b,'.repeat(50)}]\n`,
    'has an alias without an anchor, or too many',
  ],
  ['w.yaml', `${'{a: '.repeat(99)}1${'}'.repeat(99)}`, 'is nested more than 50 levels deep'],
  ['w.yaml', `${'? '.repeat(1000)}${' '.repeat(40_000)}a`, 'is nested too deeply'],
  [
    'w.json',
    JSON.stringify(createMockServer().snapshot()),
    'a snapshot of a mock, not a world: restore it with --state',
  ],
])('a %s that is no world is refused before anything starts, and not quoted: $1', async (name, text, words) => {
  const files = text === undefined ? {} : { [name]: text }
  const { code, stdout, stderr, ran } = await execMock(['--world', name], undefined, { files })
  expect([code, stdout, ran]).toEqual([2, '', false])
  expect(stderr).toContain(words)
  expect(stderr).toMatch(/\nhint: .+\n$/)
  expect(stderr).not.toContain('ada@')
})

test('the profile of the sandbox is suggested only if its key works', async () => {
  const { stdout } = await startMock(['--world', 'w.yaml'], { files: { 'w.yaml': YAML } })
  expect(stdout).toContain('export CERTIFY_API_KEY=ck_baker')
  expect(stdout).not.toContain('--profile sandbox')
})

test('a world without an API key starts, and no key is suggested', async () => {
  const argv = ['--world', 'w.yaml']
  const { code, stdout } = await startMock(argv, { files: { 'w.yaml': 'apiKeys: []\n' } })
  expect(code).toBe(0)
  expect(stdout).toContain('This world has no API key.')
  expect(stdout).toContain('export CERTIFY_BASE_URL=http')
  expect(stdout).not.toMatch(/CERTIFY_API_KEY|Keys:| \n/)
})

test.each([[], ['--json']])('names in a world are printed without control characters: %j', async (...json) => {
  const apiKeys = [{ name: 'gnikab\u202e', key: 'ck_baker', scopes: [] }]
  const { stdout } = await startMock(['--world', 'w.json', ...json], {
    files: { 'w.json': JSON.stringify({ apiKeys }) },
  })
  expect(stdout).toContain('gnikab')
  expect(stdout).not.toContain('\u202e')
})

test('certify mock init writes a world, which names and matches its schema and starts a mock with the sandbox key', async () => {
  const path = join(folder, 'world.yaml')
  expect(await createRunner().certify(['mock', 'init', path])).toEqual({ code: 0, stdout: `${path}\n`, stderr: '' })
  const text = readFileSync(path, 'utf8')
  const url = 'http://127.0.0.1:4010/__mock/world.schema.json'
  const first = `# yaml-language-server: $schema=${url}\n\n# `
  expect(text.slice(0, first.length)).toBe(first)
  const schema = fromJSONSchema(worldJsonSchema() as Parameters<typeof fromJSONSchema>[0])
  expect(schema.safeParse(parse(text)).error).toBeUndefined()
  const { code, stderr, key } = await seenWith({ [path]: text }, ['--world', path], [])
  expect([code, stderr, key]).toEqual([0, '', createMockServer().apiKey])
})

test.each([
  ['none/world.yaml', /cannot be written \(ENOENT\)/],
  ['kept.yaml', /exists; nothing was written\./],
])('certify mock init %s is refused, and nothing is written', async (name, message) => {
  writeFileSync(join(folder, 'kept.yaml'), 'mine')
  const { code, stdout, stderr } = await createRunner().certify(['mock', 'init', join(folder, name)])
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(message)])
  expect(readFileSync(join(folder, 'kept.yaml'), 'utf8')).toBe('mine')
})

test('certify mock init names the schema of an installed package by its relative path', async () => {
  const home = join(folder, 'node_modules', 'certify-sdk')
  mkdirSync(join(home, 'dist'), { recursive: true })
  mkdirSync(join(folder, 'worlds'))
  const { exports } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  writeFileSync(join(home, 'package.json'), JSON.stringify({ name: 'certify-sdk', exports }))
  writeFileSync(join(home, 'dist', 'world.schema.json'), '{}')
  const path = join(folder, 'worlds', 'world.yaml')
  await createRunner().certify(['mock', 'init', path])
  const [first] = readFileSync(path, 'utf8').split('\n')
  expect(first).toBe('# yaml-language-server: $schema=../node_modules/certify-sdk/dist/world.schema.json')
})
