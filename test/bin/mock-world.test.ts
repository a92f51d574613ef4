import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fromJSONSchema } from 'zod'
import { parse } from 'yaml'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { worldJsonSchema } from '../../mock-server/contract/world.ts'
import { createRunner, type Ended } from './run.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'certify-world-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
})

interface Visit extends Ended {
  readonly ran: boolean
  /** What the control API answered, by its paths. */
  readonly seen: Readonly<Record<string, unknown>>
  readonly key: string | undefined
}

/** Writes this file, runs `certify mock exec` with these flags, and asks the control API for these paths. */
async function visited(
  files: Readonly<Record<string, string>>,
  flags: readonly string[],
  paths: readonly string[] = [],
): Promise<Visit> {
  const seen: Record<string, unknown> = {}
  let key: string | undefined
  let ran = false
  const run = async ({ env }: { readonly env: Readonly<Record<string, string | undefined>> }) => {
    ran = true
    key = env['CERTIFY_API_KEY']
    for (const path of paths) seen[path] = await (await fetch(`${env['CERTIFY_BASE_URL']}${path}`)).json()
    return { exitCode: 0 }
  }
  const ended = await createRunner().certify(['mock', 'exec', ...flags, '--', 'program'], { files, run })
  return { ...ended, ran, seen, key }
}

const YAML = `# a bakery
quizzes:
  - id: quiz_bread
    skillName: Bread
    level: BEGINNER
    ready: true
    durationMinutes: 20
    enabledLanguages: [en]
    conceptsTested: []
tracks: &none []
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

test.each([
  ['world.yaml', YAML],
  ['world.YML', YAML.replaceAll('\n', '\r\n')],
  ['world.json', JSON.stringify(parse(YAML))],
  ['world', `\uFEFF${JSON.stringify({ $schema: './x.json', ...parse(YAML) }, null, 2)}`],
])('--world %s begins with the world in the file, its keys and its switches', async (name, text) => {
  const paths = ['/__mock/quizzes', '/__mock/keys', '/__mock/behaviour', '/__mock/candidates/ada@example.com']
  const { code, stderr, seen, key } = await visited({ [name]: text }, ['--world', name], paths)
  expect([code, stderr, key]).toEqual([0, '', 'ck_baker'])
  expect(seen).toMatchObject({
    '/__mock/quizzes': { quizzes: [{ id: 'quiz_bread' }] },
    '/__mock/keys': { apiKeys: [{ name: 'baker', key: 'ck_baker' }] },
    '/__mock/behaviour': { pendingInvite: 'refuse', errorStatus: 400 },
    '/__mock/candidates/ada@example.com': { attempts: [{ startedAt: '2030-01-01T00:00:00.000Z' }] },
  })
})

test('--behaviour overrides a switch of --world, whatever its kind, and both count for sessions', async () => {
  const flags = ['pendingInvite=allow', 'errorStatus=200', 'rateLimit={"requests":90,"per":"1m"}', 'sessionScopes=[]']
  const argv = ['--world', 'w.yaml', '--session', 'one', ...flags.flatMap((flag) => ['--behaviour', flag])]
  const paths = ['/__mock/behaviour', '/s/one/__mock/behaviour', '/s/one/__mock/keys', '/s/one/__mock/quizzes']
  const world = YAML.replace('  errorStatus', '  candidateName: required\n  errorStatus')
  const { seen } = await visited({ 'w.yaml': world }, argv, paths)
  const expected = {
    pendingInvite: 'allow',
    errorStatus: 200,
    rateLimit: { requests: 90, per: '1m' },
    sessionScopes: [],
    candidateName: 'required',
  }
  expect(seen).toMatchObject({
    '/__mock/behaviour': expected,
    '/s/one/__mock/behaviour': expected,
    '/s/one/__mock/keys': { apiKeys: [{ key: 'ck_baker_one' }] },
    '/s/one/__mock/quizzes': { quizzes: [{ id: 'quiz_bread' }] },
  })
})

test.each([
  ['candidateIdentity', 'exact-email', 'exact-email'],
  ['certificationValidity', '90d', '90d'],
  ['certificationValidity', '1000', 1000],
  ['refusedData', 'null', 'null'],
  ['errorStatus', '400', 400],
  ['invalidInputCode', 'INVALID', 'INVALID'],
  ['invalidInputCode', '"42"', '42'],
  ['callbackRetries', '["1s",500]', ['1s', 500]],
  ['callbackRetries', '[]', []],
  ['eventNames', '{"result":"outcome"}', { result: 'outcome' }],
  ['callbackSigning', '{"standardWebhooks":"whsec_c2VjcmV0"}', { standardWebhooks: 'whsec_c2VjcmV0' }],
  ['rateLimit', 'none', 'none'],
])('--behaviour %s=%s sets %j', async (name, text, setting) => {
  const { code, seen } = await visited({}, ['--behaviour', `${name}=${text}`], ['/__mock/behaviour'])
  expect([code, seen['/__mock/behaviour']]).toMatchObject([0, { [name]: setting }])
})

test.each(['world.yaml', 'world.json'])('what is wrong in %s is told with line, place and rule', async (name) => {
  const wrong = YAML.replace('- quizId: quiz_bread', '- quizId: quiz_braed')
    .replace('name: baker', 'nam: baker')
    .replace('ready: true', "ready: 'true'")
    .replace('refuse', 'deny')
  const text = name.endsWith('.yaml') ? wrong : JSON.stringify(parse(wrong), null, 2)
  const { code, stdout, stderr, ran } = await visited({ [name]: text }, ['--world', name])
  expect([code, stdout, ran]).toEqual([2, '', false])
  const lineOf = (member: string) => text.split('\n').findIndex((line) => line.includes(member)) + 1
  expect(stderr).toBe(
    [
      `error: the world in ${name} has 5 problems; nothing was started.`,
      `  line ${lineOf('ready')}: quizzes[0].ready: this has to be true or false`,
      `  line ${lineOf('quizId')}: candidates[0].attempts[0].quizId: candidate ada@example.com has a history with the unknown quiz quiz_braed. Did you mean quiz_bread?`,
      `  line ${lineOf(name.endsWith('.yaml') ? '{ nam' : '"nam"') - (name.endsWith('.yaml') ? 0 : 1)}: apiKeys[0].name: this is missing`,
      `  line ${lineOf('nam')}: apiKeys[0].nam: an API key has no nam. Did you mean name?`,
      `  line ${lineOf('pendingInvite')}: behaviour.pendingInvite: this has to be allow, refuse, return-existing`,
      'hint: `certify mock init` writes an example, which editors can check.',
      '',
    ].join('\n'),
  )
})

test('with --json the problems are data, with their lines', async () => {
  const argv = ['mock', '--json', '--world', 'w.yaml']
  const { code, stderr } = await createRunner().certify(argv, { files: { 'w.yaml': 'tracks: []\nquizzes: {}\n' } })
  expect(code).toBe(2)
  expect(JSON.parse(stderr)).toMatchObject({
    error: { code: 'USAGE', problems: [{ path: 'quizzes', line: 2, message: 'this has to be a list' }] },
  })
})

test('with --json the problems are in the order of their lines', async () => {
  const files = { 'w.yaml': YAML.replace('tracks: &none []', 'tracks: {}').replace('# a bakery', 'apiKey: []') }
  const { stderr } = await createRunner().certify(['mock', '--json', '--world', 'w.yaml'], { files })
  const { problems } = (JSON.parse(stderr) as { error: { problems: { line: number; path: string }[] } }).error
  expect(problems.map(({ line, path }) => [line, path])).toEqual([
    [1, 'apiKey'],
    [10, 'tracks'],
  ])
})

test.each([
  ['w.json', '{\n  "tracks": [],\n}', 'is not JSON: see line 3.'],
  ['w.json', '{"candidates": [\n  ada@example.com\n]}', 'is not JSON: see line 2.'],
  ['w.json', '{\n"tracks": [\n', 'is not JSON: see line 2.'],
  [
    'w.yaml',
    'tracks: []\nquizzes: [\n',
    'is not YAML: line 3: this is indented in another way than the lines around it, or a bracket is not closed.',
  ],
  ['w.yaml', 'tracks: []\ntracks: []\n', 'is not YAML: line 2: this key is here twice.'],
  ['w.yaml', 'quizzes:\n  - id: a\n    id: ada@example.com\n', 'is not YAML: line 3: this key is here twice.'],
  ['w.yaml', 'a: 1\nb:\n  - c\n\t- ada@b.test\n', 'is not YAML: line 4: there is a tab; indent with spaces.'],
  [
    'w.yaml',
    'tracks: []\nname: a: ada@b.test\n',
    'is not YAML: line 2: there is a colon too many; put such a text in quotes.',
  ],
  ['w.yaml', 'tracks: []\nname: "ada@b.test\n', 'is not YAML: line 3: a sign is missing, such as a quote or a colon.'],
  [
    'w.yaml',
    'tracks: []\nname: @ada@b.test\n',
    'is not YAML: line 2: a text cannot begin with this sign; put it in quotes.',
  ],
  ['w.yaml', 'tracks: []\nname: "a" ada@b.test\n', 'is not YAML: line 2: this cannot be here.'],
  ['w.yaml', 'candidates: []\n---\nquizzes: []\n', 'has a second YAML document: see line 2.'],
  ['w.yaml', '# a world\n---\ntracks: []\n...\n# more\n---\ntracks: []\n', 'has a second YAML document: see line 6.'],
  ['w.yaml', '', 'has a problem'],
  ['w.yaml', '- a\n', 'has a problem'],
  ['w.yaml', `a: &a [x]\nb: &b [${'*a,'.repeat(50)}]\nc: [${'*b,'.repeat(50)}]\n`, 'repeats too much by its aliases'],
  ['w.yaml', `a: ${'['.repeat(99)}${']'.repeat(99)}`, 'is nested more than 50 levels deep'],
  ['w.json', `{"a":${'['.repeat(99)}${']'.repeat(99)}}`, 'is nested more than 50 levels deep'],
  [
    'w.json',
    `{"apiKeys":[{"name":"a","key":"${'k'.repeat(201)}","scopes":[]}]}`,
    'the key of an API key is longer than 200 characters',
  ],
  ['w.yaml', `tracks: [${'1,'.repeat(5001)}]`, 'has more than 5000 entries in a list or map'],
  ['w.yaml', `a: &a 1\ntracks: [${'*a ,'.repeat(1001)}]`, 'has more than 1000 aliases'],
  [
    'w.json',
    JSON.stringify(createMockServer().snapshot()),
    'a snapshot of a mock, not a world: restore it with --state',
  ],
])('a file %s that is no world is refused before anything starts: %j', async (name, text, words) => {
  const { code, stdout, stderr, ran } = await visited({ [name]: text }, ['--world', name])
  expect([code, stdout, ran]).toEqual([2, '', false])
  expect(stderr).toContain(words)
  expect(stderr).toMatch(/\nhint: .+\n$/)
  expect(stderr).not.toContain('ada@')
})

test.each([
  ['world.json', '{"tracks":[]}', 'it is a world, not a snapshot. Use --world'],
  ['world.yaml', 'tracks: []\n', 'For a world in YAML use --world.'],
])('a world that is given to --state is refused, with the flag to use: %s', async (name, text, words) => {
  const { code, stderr, ran } = await visited({ [name]: text }, ['--state', name])
  expect([code, ran]).toEqual([2, false])
  expect(stderr).toContain(words)
})

test('a file of --world that is not there is refused', async () => {
  const { code, stderr, ran } = await visited({}, ['--world', 'none.yaml'])
  expect([code, ran]).toEqual([2, false])
  expect(stderr).toContain('the file of --world, none.yaml, cannot be read (ENOENT)')
})

test('with --world and --state the mock continues with the state, by the keys and switches of the world', async () => {
  const mock = createMockServer({ now: '2030-01-01T00:00:00Z' })
  mock.candidate('grace@example.com').certify('quiz_sql_beginner_queries')
  const files = { 'w.yaml': YAML, 's.json': JSON.stringify(mock.snapshot()) }
  const paths = ['/__mock/quizzes', '/__mock/behaviour', '/__mock/candidates/grace@example.com']
  const { code, seen, key } = await visited(files, ['--world', 'w.yaml', '--state', 's.json'], paths)
  expect([code, key]).toEqual([0, 'ck_baker'])
  expect(seen).toMatchObject({
    '/__mock/quizzes': { quizzes: mock.quizzes },
    '/__mock/behaviour': { pendingInvite: 'refuse' },
    '/__mock/candidates/grace@example.com': { certifications: [{}] },
  })
})

test('a wrong --behaviour is told as that, also beside a world', async () => {
  const { code, stderr } = await visited({ 'w.yaml': YAML }, ['--world', 'w.yaml', '--behaviour', 'pending=refuse'])
  expect([code, stderr]).toEqual([2, expect.stringMatching(/^error: --behaviour: .*Did you mean pendingInvite\?/)])
})

test('the profile of the sandbox is offered only where its key works', async () => {
  const interruption = AbortSignal.abort('SIGINT')
  const { certify } = createRunner()
  const { stdout } = await certify(['mock', '--port', '0', '--world', 'w.yaml'], {
    files: { 'w.yaml': YAML },
    interruption,
  })
  expect(stdout).toContain('export CERTIFY_API_KEY=ck_baker')
  expect(stdout).not.toContain('--profile sandbox')
})

test.each([[], ['--json']])(
  'no name in a world controls the terminal that the mock is started in: %j',
  async (...json) => {
    const apiKeys = [{ name: 'gnikab\u202e', key: 'ck_baker', scopes: [] }]
    const { stdout } = await createRunner().certify(['mock', '--port', '0', '--world', 'w.json', ...json], {
      files: { 'w.json': JSON.stringify({ apiKeys }) },
      interruption: AbortSignal.abort('SIGINT'),
    })
    expect(stdout).toContain('gnikab')
    expect(stdout).not.toContain('\u202e')
  },
)

test('one YAML document may begin and end with its markers', async () => {
  const { code } = await visited({ 'w.yaml': `--- # a world\n${YAML}...\n# the end\n` }, ['--world', 'w.yaml'])
  expect(code).toBe(0)
})

test('a world without an API key starts, and no key is offered', async () => {
  const { certify } = createRunner()
  const { code, stdout } = await certify(['mock', '--port', '0', '--world', 'w.yaml', '--session', 'one'], {
    files: { 'w.yaml': 'apiKeys: []\n' },
    interruption: AbortSignal.abort('SIGINT'),
  })
  expect(code).toBe(0)
  expect(stdout).toContain('This world has no API key.')
  expect(stdout).toContain('export CERTIFY_BASE_URL=http')
  expect(stdout).not.toMatch(/CERTIFY_API_KEY|Keys:| \n/)
})

test.each(['world.yaml', 'world.yml', 'world.json'])(
  'certify mock init writes %s, with which a mock starts',
  async (name) => {
    const path = join(folder, name)
    const { certify } = createRunner()
    expect(await certify(['mock', 'init', path])).toEqual({ code: 0, stdout: `${path}\n`, stderr: '' })
    const text = readFileSync(path, 'utf8')
    const isJson = name.endsWith('.json')
    expect(text).toMatch(
      isJson
        ? /^\{\n {2}"\$schema": "http:\/\/127\.0\.0\.1:4010\/__mock\/world\.schema\.json"/
        : /^# yaml-language-server: \$schema=http:\/\/127\.0\.0\.1:4010\/__mock\/world\.schema\.json\n\n# /,
    )
    const world: unknown = parse(text)
    expect(
      fromJSONSchema(worldJsonSchema() as Parameters<typeof fromJSONSchema>[0]).safeParse(world).error,
    ).toBeUndefined()
    const { code, stderr, key } = await visited({ [path]: text }, ['--world', path])
    expect([code, stderr, key]).toEqual([0, '', createMockServer().apiKey])
  },
)

test('the keys in the file of certify mock init are documented ones, so that the profile of the sandbox works', async () => {
  const path = join(folder, 'world.yaml')
  await createRunner().certify(['mock', 'init', path])
  const { apiKeys } = parse(readFileSync(path, 'utf8')) as { apiKeys: object[] }
  expect(createMockServer().apiKeys).toEqual(expect.arrayContaining(apiKeys))
})

test('the file of certify mock init says what has to be there', async () => {
  const path = join(folder, 'world.yaml')
  await createRunner().certify(['mock', 'init', path])
  const text = readFileSync(path, 'utf8')
  expect(text).toContain('# Each quiz needs all of these.')
  expect(text).toContain('# A candidate needs an email, and each entry of a history its quizId.')
})

test('certify mock init keeps a file that exists, unless --force is given', async () => {
  const path = join(folder, 'world.yaml')
  writeFileSync(path, 'mine')
  const { certify } = createRunner()
  const kept = await certify(['mock', 'init', path])
  expect(kept).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('exists; nothing was written.') })
  expect(readFileSync(path, 'utf8')).toBe('mine')
  expect((await certify(['mock', 'init', path, '--force', '--json'])).stdout).toBe(`{"file":${JSON.stringify(path)}}\n`)
  expect(readFileSync(path, 'utf8')).toContain('quizzes:')
})

test.each([
  [['world.txt'], /has to end with \.yaml, \.yml or \.json/],
  [['none/world.yaml'], /cannot be written \(ENOENT\)/],
  [['world.yaml', '--schema'], /--schema writes no file/],
])('certify mock init %j is refused, and nothing is written', async (words, message) => {
  const { code, stdout, stderr } = await createRunner().certify([
    'mock',
    'init',
    ...words.map((word) => (word.startsWith('--') ? word : join(folder, word))),
  ])
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(message)])
})

test('where the package is installed, the file names the schema in it, by its way from the file', async () => {
  const home = join(folder, 'node_modules', 'certify-sdk')
  mkdirSync(join(home, 'dist'), { recursive: true })
  mkdirSync(join(folder, 'worlds'))
  const { exports } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  writeFileSync(join(home, 'package.json'), JSON.stringify({ name: 'certify-sdk', exports }))
  writeFileSync(join(home, 'dist', 'world.schema.json'), '{}')
  const path = join(folder, 'worlds', 'world.yaml')
  await createRunner().certify(['mock', 'init', path])
  expect(readFileSync(path, 'utf8')).toMatch(
    /^# yaml-language-server: \$schema=\.\.\/node_modules\/certify-sdk\/dist\/world\.schema\.json\n/,
  )
})

test.each([
  [['mock', 'exec', '--world', ''], ':files'],
  [['mock', 'init', ''], ':files'],
  [['mock', ''], 'init\t'],
])('%j is completed with %j', async (words, offered) => {
  expect((await createRunner().certify(['__complete', '--', ...words])).stdout).toContain(offered)
})
