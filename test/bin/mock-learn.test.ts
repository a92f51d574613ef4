import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createMockServer, type MockServerOptions } from '../../mock-server/index.ts'
import { createRunner, type World } from './run.ts'

const READER = { CERTIFY_READER: 'ck_sandbox_read_' }

/** Learns from a mock with these switches, with every question. */
async function learned(behaviour: MockServerOptions['behaviour'], flags: readonly string[] = [], world: World = {}) {
  const mock = createMockServer({ now: '2030-01-01T00:00:00Z', behaviour })
  const runner = createRunner(mock)
  const read = mock.apiKeys.find(({ name }) => name === 'read')?.key
  const all = ['--refused-creates', '--read-key', 'CERTIFY_READER', '--yes']
  const env = { ...READER, CERTIFY_READER: read, ...world.env }
  const ended = await runner.certify(['mock', 'learn', '--json', ...(flags.length > 0 ? flags : all)], {
    ...world,
    env,
  })
  const result = (ended.stdout === '' ? {} : JSON.parse(ended.stdout)) as {
    behaviour: Record<string, unknown>
    warnings: string[]
    findings: { gap: string; found: string; switch: string | null; setting: unknown }[]
  }
  return { mock, runner, ended, ...result }
}

const SETTINGS = {
  unauthenticatedResponse: ['graphql-200', 'graphql-401', 'html-401', 'graphql-200-without-code'],
  forbiddenResponse: ['graphql-200', 'graphql-403', 'html-403', 'graphql-200-without-code'],
  errorCodePlace: ['extensions', 'top-level', 'none'],
  errorStatus: [200, 400],
  refusedData: ['null', 'partial'],
  unknownIdCode: ['BAD_USER_INPUT', 'NOT_FOUND'],
  invalidInputCode: ['BAD_USER_INPUT', 'INVALID_INPUT', 'NOT_FOUND'],
  nullDescriptions: ['never', 'always'],
} as const
/* What the client cannot read, or takes for unknown, with how many warnings. */
const DOUBTFUL: ReadonlyMap<string, number> = new Map([
  ['unauthenticatedResponse=graphql-200-without-code', 1],
  ['forbiddenResponse=graphql-200-without-code', 2],
  ['errorCodePlace=none', 4],
])

const CASES = Object.entries(SETTINGS).flatMap(([name, settings]) => settings.map((each) => [name, each] as const))

test.each(CASES)('the mock learns of itself, and creates nothing: %s = %s', async (name, setting) => {
  const { mock, behaviour, ended, findings, warnings } = await learned({ [name]: setting })
  expect([ended.code, behaviour[name]]).toEqual([0, setting])
  expect(warnings.length).toBe(DOUBTFUL.get(`${name}=${setting}`) ?? 0)
  expect([mock.invites, mock.outbox]).toEqual([[], []])
  // Whatever it learned is what the mock does: asked again, a mock with these switches gives the same evidence.
  expect((await learned(behaviour)).findings).toEqual(findings)
})

test('by default it only queries, and lists as open what only creates would show', async () => {
  const { mock, behaviour, findings, warnings } = await learned({}, ['--timeout', '5s'])
  expect(behaviour).toEqual({
    unauthenticatedResponse: 'graphql-200',
    errorCodePlace: 'extensions',
    nullDescriptions: 'never',
  })
  expect(mock.requestLog.list().map(({ operations }) => operations)).toEqual(
    Array.from({ length: 3 }, () => ['developerCertificationPackageTracks']),
  )
  const open = findings.filter((each) => each.switch !== null && each.setting === null)
  expect(open.map(({ found }) => found)).toEqual([
    'not asked: give --read-key',
    ...Array.from({ length: 4 }, () => 'not asked: give --refused-creates'),
  ])
  expect(warnings).toEqual([])
})

describe('refused creates', () => {
  const creates = (mock: { requestLog: ReturnType<typeof createMockServer>['requestLog'] }) =>
    mock.requestLog.list().filter(({ operations }) => operations.some((name) => name.includes('Create'))).length

  test('are confirmed at a terminal, and sent with --yes elsewhere', async () => {
    const asked = await learned({}, ['--refused-creates'], { answers: ['y'], terminal: 100 })
    expect([asked.ended.code, asked.ended.asked?.length, creates(asked.mock)]).toEqual([0, 1, 3])
    const declined = await learned({}, ['--refused-creates'], { answers: ['n'], terminal: 100 })
    expect([declined.ended.code, declined.mock.requestLog.list()]).toEqual([2, []])
    const unasked = await learned({}, ['--read-key', 'CERTIFY_READER'])
    expect([unasked.ended.code, unasked.mock.requestLog.list()]).toEqual([2, []])
    expect(unasked.ended.stderr).toContain('INPUT_NEEDED')
  })

  test.each([['--refused-creates'], ['--read-key', 'CERTIFY_READER']])('no agent sends them: %s', async (...flags) => {
    const { ended, mock } = await learned({}, [...flags, '--yes'], { env: { CLAUDECODE: '1' } })
    expect([ended.code, mock.requestLog.list()]).toEqual([2, []])
    expect(ended.stderr).toContain('an agent may not send creates')
  })

  test('end at the first that the service executes, with exit code 6', async () => {
    const mock = createMockServer({ now: '2030-01-01T00:00:00Z' })
    const runner = createRunner(mock)
    const created = { data: { developerCreateCertificationInvite: { inviteId: 'inv_secret' } } }
    let sent = 0
    const fetch: World['fetch'] = async (url, init) => {
      if (!init.body.includes('mutation')) return mock.fetch(url, init)
      sent += 1
      return Response.json(created)
    }
    const ended = await runner.certify(['mock', 'learn', '--refused-creates', '--yes'], { fetch })
    expect([ended.code, sent]).toEqual([6, 1])
    expect(ended.stderr).toContain('the service created an invite for a quiz that does not exist')
    expect(ended.stdout + ended.stderr).not.toContain('inv_secret')
  })
})

test('the file starts a mock that behaves so, beside switches of its own, which win', async () => {
  const { runner } = await learned({}, ['--timeout', '5s'])
  const path = join(runner.home.folder, 'behaviour.json')
  const service = createRunner(createMockServer({ behaviour: { unauthenticatedResponse: 'html-401' } }))
  expect((await service.certify(['mock', 'learn', '--out', path])).code).toBe(0)
  const text = readFileSync(path, 'utf8')
  expect(JSON.parse(text)).toEqual({ behaviour: { unauthenticatedResponse: 'html-401', nullDescriptions: 'never' } })
  expect(statSync(path).mode & 0o777).toBe(0o600)
  const options = JSON.parse(text) as MockServerOptions
  expect(createMockServer(options).behaviour.unauthenticatedResponse).toBe('html-401')
  const started = async (...flags: string[]) => {
    const done = await runner.certify(['mock', '--port', '0', ...flags], {
      files: { [path]: text, 'x.json': '{"behaviour":{"unknownIdCode":"NEVER"}}', 'y.json': '{"quizzes":[]}' },
      interruption: AbortSignal.abort('SIGINT'),
    })
    return [done.code, done.stderr]
  }
  expect((await started('--behaviour', path, '--behaviour', 'unauthenticatedResponse=graphql-401'))[0]).toBe(0)
  expect(await started('--behaviour', 'x.json')).toEqual([2, expect.stringContaining('unknownIdCode')])
  expect(await started('--behaviour', 'y.json')).toEqual([2, expect.stringContaining('has no { "behaviour"')])
  expect(await started('--behaviour', 'z.json')).toEqual([2, expect.stringContaining('ENOENT')])
})

test('the evidence has no key, address or link, whatever the service says', async () => {
  const mock = createMockServer()
  const runner = createRunner(mock)
  const quoting: World['fetch'] = async (_url, init) => {
    const message = `${init.headers['x-api-key']} ${init.body} https://service.example/challenge/secret`
    return Response.json(
      { errors: [{ message, code: message, extensions: { code: message } }], data: null },
      { status: 400 },
    )
  }
  const fetch: World['fetch'] = async (url, init) =>
    init.headers['x-api-key'] === mock.apiKey && init.body.includes('query')
      ? mock.fetch(url, init)
      : quoting(url, init)
  const { code, stdout, stderr } = await runner.certify(['mock', 'learn', '--refused-creates', '--yes'], { fetch })
  expect(code).toBe(0)
  expect(stdout).toContain('a code of another form')
  for (const secret of [mock.apiKey, 'no-such-key', '@', 'https://']) expect(stdout + stderr).not.toContain(secret)
})

test('a warning says where the client would take a refusal for something else', async () => {
  const { warnings } = await learned({ errorCodePlace: 'none', unauthenticatedResponse: 'graphql-200-without-code' })
  expect(warnings.join('\n')).toContain('a key that is not known: the client reports API_ERROR, not UNAUTHENTICATED.')
})

test('a key that is refused, and names that stand for no key, end it before anything else is asked', async () => {
  const { ended } = await learned({}, ['--read-key', 'NO_SUCH_NAME', '--yes'])
  expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining('names neither a profile with a key')])
  const runner = createRunner()
  const refused = await runner.certify(['mock', 'learn'], { env: { CERTIFY_API_KEY: 'ck_nobody' } })
  expect([refused.code, refused.stdout]).toEqual([4, ''])
})
