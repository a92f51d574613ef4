import { expect, test } from 'vitest'
import { wordError } from '../../bin/terminal/error-wording.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { CertifyError } from '../../src/index.ts'
import { describeFailure, FAILURES, type FailureKind } from '../../src/transport/failures.ts'
import { createRunner, type World } from './run.ts'

const quizId = 'quiz_react_beginner_components'
const invite = ['invites', 'create', '--quiz-id', quizId, '--email', 'ada@example.com']
const packageInvite = ['invites', 'create', '--package-id', 'pkg_react_beginner', '--email', 'ada@example.com']
/* With little time for retries. */
const hasty = ['tracks', 'list', '--deadline', '100ms']
const mock = createMockServer()
const key = (name: string) => mock.apiKeys.find((each) => each.name === name)?.key ?? ''
const http = (status: number, body: string) => async () => new Response(body, { status })
const failing = (code: string, syscall: string) => async () =>
  Promise.reject(Object.assign(new Error('x'), { code, syscall }))
const refused = failing('ECONNREFUSED', 'connect')
const lost = failing('ECONNRESET', 'read')

type Row = readonly [argv: readonly string[], world: World, code: number, words: RegExp]

const usage: readonly Row[] = [
  [['trakcs', 'list'], {}, 2, /unknown command 'trakcs'[\s\S]*Did you mean tracks\?/],
  [['login'], {}, 2, /unknown command 'login'\. Did you mean auth login\?/],
  [['create'], {}, 2, /Did you mean invites create\?/],
  [['list'], {}, 2, /Did you mean tracks list\?/],
  [['api', '{ x }', '-f', 's'], {}, 2, /a variable has no =value/],
  [['tracks', 'lsit'], {}, 2, /unknown command 'lsit'/],
  [['tracks', 'list', '--serach', 'x'], {}, 2, /unknown option '--serach'[\s\S]*Did you mean --search\?/],
  [['tracks', 'list', '--search'], {}, 2, /--search <text>' argument missing/],
  [['tracks', 'list', '--profile'], {}, 2, /option '--profile <name>' argument missing/],
  [['api', '{ x }', '-yf'], {}, 2, /option '-f, --raw-field <name=value>' argument missing/],
  [['tracks', 'list', 'extra'], {}, 2, /too many arguments for 'list'\. Expected 0 arguments but got 1\./],
  [['tracks', 'view'], {}, 2, /missing required argument 'slug'/],
  [['tracks', 'view', ' '], {}, 2, /the slug must not be blank/],
  [
    ['invites', 'create', '--email', 'a@b.c'],
    {},
    2,
    /--quiz-id or --package-id is missing[\s\S]*tracks view <slug>` shows the ids of quizzes/,
  ],
  [['invites', 'create', '--quiz-id', quizId], {}, 2, /required option '--email <address>' not specified/],
  [['invites', 'create', '--quiz-id', '', '--email', 'a@b.c'], {}, 2, /--quiz-id must not be blank/],
  [[...invite.slice(0, -1), 'ada'], {}, 2, /--email must be a valid e-mail address: it has no @/],
  [[...invite.slice(0, -1), 'ada', '--dry-run'], {}, 2, /--email must be a valid e-mail address: it has no @/],
  [[...invite, '--callback-url', 'http://x.y'], {}, 2, /--callback-url must be a valid URL that starts with https/],
  [[...packageInvite, '--external-reference', 'r'], {}, 2, /cannot be used with option '--package-id/],
  [[...packageInvite.slice(0, -1), 'ada'], {}, 2, /--email must be a valid e-mail address/],
  [[...invite, '--api-key', 'canary'], {}, 2, /a secret is never taken from the command line \(--api-key\)/],
  [[...invite, '--api-key=canary'], {}, 2, /a secret is never taken from the command line \(--api-key\)/],
  [['--token', 'canary', ...invite], {}, 2, /a secret is never taken from the command line \(--token\)/],
  [[...invite, '--key=canary'], {}, 2, /a secret is never taken from the command line \(--key\)/],
  [['tracks', 'view', '--', '--json', 'extra'], {}, 2, /too many arguments/],
  [[...invite, '-kcanary'], {}, 2, /unknown option '-k'/],
  [[...invite, '--callback-url', 'https://x.y', '--callback-url', 'https://canary'], {}, 2, /may be given only once/],
  [[...invite, '--quizid'], {}, 2, /unknown option '--quizid'\. Did you mean --quiz-id\?/],
  [[...invite, '--quizid=canary'], {}, 2, /unknown option '--quizid'\.\n/],
  [['bulk', '-', '--field', 'x'], {}, 2, /unknown option '--field'\.\n/],
  [
    [...invite, '--email', 'bob@example.com'],
    {},
    2,
    /option '--email <address>' is invalid. It may be given only once/,
  ],
  [[...invite, '--name', 'Ada', 'Byron'], {}, 2, /too many arguments/],
  [[...invite, '--json=1'], {}, 2, /unknown option '--json'/],
  [['help', 'nonsense'], {}, 2, /there is no command 'nonsense'/],
  [['help', 'tracks', 'nonsense'], {}, 2, /there is no command 'tracks nonsense'/],
  [['nonsense', '--help'], {}, 2, /unknown command 'nonsense'/],
  [['mock', '--port', 'many'], {}, 2, /whole number from 0 to 65535/],
  [['mock', '--port', '65536'], {}, 2, /whole number from 0 to 65535/],
  [
    ['mock', 'Exce', '--', 'npm', 'test'],
    {},
    2,
    /unknown command 'Exce'\. Did you mean exec\?\nhint: See certify mock --help\./,
  ],
  [[...invite, '--callbacks', '--callback-url', 'https://x.y'], {}, 2, /'--callbacks' cannot be used with option/],
  [['tracks', 'list', '--timeout', '30'], {}, 2, /--timeout <duration>' is invalid[\s\S]*30s/],
  [['tracks', 'list', '--timeout', '1d'], {}, 2, /--timeout <duration>' is invalid/],
  [['tracks', 'list', '--deadline', '0s'], {}, 2, /--deadline <duration>' is invalid/],
  [['tracks', 'list', '--profile', 'sandbx'], {}, 2, /no profile with this name\. Did you mean sandbox\?/],
  [['tracks', 'list', '--no-color'], {}, 2, /unknown option '--no-color'/],
  [['api'], {}, 2, /missing required argument 'document'/],
  [['api', '@gone'], {}, 2, /gone cannot be read \(ENOENT\)/],
  [['api', '{ x }', '-f', '=canary'], {}, 2, /a variable has no name/],
  [['api', '{ x }', '--variables', '@v'], { files: { v: '["canary"]' } }, 2, /--variables is not a JSON object/],
  [['api', '{ x }', '--variables', '{"email":"canary"}'], {}, 2, /names no file[\s\S]*--variables @file, or -/],
  [['api', '-', '--variables', '-'], {}, 2, /cannot both come from stdin/],
  [['api', '-'], { answers: [] }, 2, /stdin is a terminal/],
  [['invites', 'list', '--state', 'opened'], {}, 2, /'--state <state>' is invalid/],
  [['invites', 'list', '--since', 'yesterday'], {}, 2, /'--since <when>' is invalid/],
  [['invites', 'list', '--since', '2030-02-30'], {}, 2, /'--since <when>' is invalid/],
  [['invites', 'list', '--since', '2030-01-01T09:00'], {}, 2, /'--since <when>' is invalid/],
  [['invites', 'list', '--limit', '0'], {}, 2, /'--limit <number>' is invalid/],
  [['invites', 'list', '--expiring-within', '3'], {}, 2, /'--expiring-within <span>' is invalid/],
  [['ledger', 'purge'], {}, 2, /--email or --older-than is missing/],
  [['ledger', 'purge', '--email', 'a@b.c', '--older-than', '1d'], {}, 2, /cannot be used with option/],
  [['ledger', 'purge', '--email', ' '], {}, 2, /It must not be blank/],
  [['ledger', 'purge', '--older-than', '11y'], {}, 2, /'--older-than <span>' is invalid/],
]

const configuration: readonly Row[] = [
  [invite, { env: { CERTIFY_BASE_URL: '' } }, 2, /no base URL/],
  [invite, { env: { CERTIFY_BASE_URL: undefined } }, 2, /no base URL/],
  [
    invite,
    { env: { CERTIFY_BASE_URL: 'certify.test' } },
    2,
    /the base URL \(CERTIFY_BASE_URL or --base-url\) must be an absolute http or https URL/,
  ],
  [invite, { env: { CERTIFY_BASE_URL: 'http://certify.test' } }, 2, /is http to another machine/],
  [invite, { env: { CERTIFY_API_KEY: '' } }, 4, /no API key/],
  [
    invite,
    { env: { CERTIFY_API_KEY: '', CERTIFY_API_KEY_FILE: 'gone' } },
    4,
    /CERTIFY_API_KEY_FILE cannot be read \(ENOENT\)/,
  ],
  [invite, { env: { CERTIFY_API_KEY: 'canary\nkey' } }, 2, /the key .* is not one line of visible ASCII/],
]

const refusals: readonly Row[] = [
  [invite, { env: { CERTIFY_API_KEY: 'ck_wrong' } }, 4, /did not accept the credentials/],
  [invite, { env: { CERTIFY_API_KEY: key('read') } }, 4, /lack the scope[\s\S]*hint: .*CERTIFICATION_INVITE_CREATE/],
  [
    packageInvite,
    { env: { CERTIFY_API_KEY: key('none') } },
    4,
    /lack the scope[\s\S]*hint: .*CERTIFICATION_INVITE_CREATE/,
  ],
  [
    ['tracks', 'list'],
    { env: { CERTIFY_API_KEY: key('invite') } },
    4,
    /lack the scope[\s\S]*hint: .*CERTIFICATION_PACKAGE_READ/,
  ],
  [['tracks', 'view', 'no-such-track'], {}, 5, /there is no track with this slug/],
  [['api', '{ noSuchField }'], {}, 5, /the service says: .*noSuchField/],
  [
    [...invite.slice(0, 3), 'quiz_unknown', ...invite.slice(4)],
    {},
    5,
    /refused the input[\s\S]*the service says: .*quiz_unknown/,
  ],
  [
    [...invite.slice(0, -1), 'marta.lindqvist@candidate.test'],
    {},
    5,
    /BAD_USER_INPUT[\s\S]*the service says: .*holds a certification[\s\S]*hint: Check which of the documented reasons applies: the quiz is not READY/,
  ],
  [[...invite.slice(0, -1), 'tomasz.okafor@candidate.test'], {}, 5, /BAD_USER_INPUT/],
  [[...packageInvite.slice(0, -1), 'marta.lindqvist@candidate.test'], {}, 5, /BAD_USER_INPUT/],
  [
    [...packageInvite.slice(0, -1), 'tomasz.okafor@candidate.test'],
    {},
    5,
    /BAD_USER_INPUT[\s\S]*hint: Check which of the documented reasons applies: the candidate has an attempt/,
  ],
  [invite, { fetch: http(200, '{"errors":[{"message":"no"}]}') }, 5, /says: no\nhint: No reason is known\.\n/],
  [invite, { fetch: refused }, 7, /could not be reached \(ECONNREFUSED\)/],
  [['tracks', 'list'], { fetch: refused }, 7, /could not be reached/],
  [['tracks', 'list'], { fetch: lost }, 7, /connection ended/],
  [hasty, { fetch: failing('CERT_HAS_EXPIRED', 'connect') }, 7, /Check the clock of this machine/],
  [hasty, { fetch: failing('ERR_TLS_CERT_ALTNAME_INVALID', 'connect') }, 7, /The certificate is for another name/],
  [hasty, { fetch: failing('SELF_SIGNED_CERT_IN_CHAIN', 'connect') }, 7, /set NODE_EXTRA_CA_CERTS to a file with its/],
  [['tracks', 'list'], { fetch: http(500, '') }, 7, /the service failed \(HTTP 500\)/],
  [
    ['tracks', 'list'],
    { fetch: http(200, '<h1>login</h1>') },
    7,
    /response could not be read[\s\S]*the base URL \(CERTIFY_BASE_URL/,
  ],
  [invite, { fetch: http(200, '<h1>login</h1>') }, 6, /It may have been created[\s\S]*the base URL \(CERTIFY_BASE_URL/],
  [invite, { fetch: http(429, '') }, 7, /limiting requests/],
  [invite, { fetch: http(307, '') }, 7, /redirect/],
  [invite, { fetch: http(404, '') }, 7, /in front of the service responded/],
  [invite, { fetch: lost }, 6, /connection ended after[\s\S]*It may have been created[\s\S]*reference: [0-9a-f-]{36}/],
  [invite, { interruption: AbortSignal.abort('SIGINT') }, 130, /aborted before it was sent/],
  [invite, { interruption: AbortSignal.abort('SIGTERM') }, 143, /aborted before it was sent/],
]

test.each([...usage, ...configuration, ...refusals])(
  'certify %j in %o exits with %i, prints one clear error, with --json as one JSON object, and creates nothing',
  async (argv, world, code, words) => {
    const { mock: service, certify } = createRunner()
    const ended = await certify(argv, world)
    expect(ended).toMatchObject({ code, stdout: '' })
    expect(ended.stderr).toMatch(/^error: .+\n([\s\S]*\n)?hint: .+\n/)
    expect(ended.stderr).toMatch(words)
    expect(ended.stderr).not.toContain('canary')
    expect(service.invites).toEqual([])
    expect(service.outbox).toEqual([])
    const json = await createRunner().certify(['--json', ...argv], world)
    expect(json).toMatchObject({ code, stdout: '' })
    expect(json.stderr.trimEnd()).not.toContain('\n')
    expect(JSON.parse(json.stderr)).toMatchObject({
      error: { code: expect.any(String), message: expect.any(String), hint: expect.any(String), exitCode: code },
    })
  },
)

test('a port in use suggests the mock that may be running there', async () => {
  const { certify, mock: service } = createRunner()
  const listener = await service.listen()
  const { port } = listener
  const { code, stderr } = await certify(['mock', '--port', String(port)])
  await listener.close()
  const hint = `A mock may be running there already: use it with --base-url http://127.0.0.1:${port}, or`
  expect([code, stderr]).toEqual([2, expect.stringContaining(hint)])
})

test('the default port in use suggests the profile of the sandbox', async () => {
  const { certify, mock: service } = createRunner()
  /* If another program has this port, it is in use just the same. */
  const listener = await service.listen({ port: 4010 }).catch(() => undefined)
  const { code, stderr } = await certify(['mock'])
  await listener?.close()
  expect([code, stderr]).toEqual([2, expect.stringMatching(/A mock may be running there already.*--profile sandbox,/)])
})

test('a created invite whose response is incomplete prints what was received', async () => {
  const { certify } = createRunner()
  const data = { developerCreateCertificationInvite: { challengeUrl: 'https://certify.test/c/only-copy' } }
  const fetch = http(200, JSON.stringify({ data }))
  const text = await certify(invite, { fetch })
  expect(text.code).toBe(6)
  expect(text.stderr).toContain('https://certify.test/c/only-copy')
  expect(text.stderr).toMatch(/^hint: It was created: do not call again\. Save the response: it has the data\.$/m)
  const json = await createRunner().certify([...invite, '--json'], { fetch })
  expect(JSON.parse(json.stderr)).toMatchObject({ error: { outcome: 'executed', partial: data } })
})

test('an interruption after a create was sent leaves its outcome unknown', async () => {
  const { certify } = createRunner()
  const controller = new AbortController()
  const fetch = () => {
    controller.abort('SIGINT')
    return new Promise<never>(() => {})
  }
  const { code, stderr } = await certify(invite, { fetch, interruption: controller.signal })
  expect(code).toBe(6)
  expect(stderr).toContain('aborted after it had been sent')
})

test('a closed stdout is no error for a command that only reads, but a full disk is', async () => {
  const { certify } = createRunner()
  expect(await certify(['tracks', 'list'], { broken: { stdout: 'EPIPE' } })).toEqual({
    code: 0,
    stdout: '',
    stderr: '',
  })
  const full = await certify(['tracks', 'list'], { broken: { stdout: 'ENOSPC' } })
  expect(full.code).toBe(1)
  expect(full.stderr).toMatch(/^error: the output could not be written \(ENOSPC\)\.\nhint: /)
})

test('a mock that cannot print its address exits', async () => {
  const { certify } = createRunner()
  const { code, stderr } = await certify(['mock', '--port', '0'], { broken: { stdout: 'ENOSPC' } })
  expect(code).toBe(1)
  expect(stderr).toMatch(/^error: the address of the mock could not be written to stdout/)
})

test('a failing stderr does not change the exit code', async () => {
  const { certify } = createRunner()
  const broken = { stderr: 'ENOSPC' }
  expect((await certify(invite, { fetch: lost, broken })).code).toBe(6)
  expect((await certify(['tracks', 'lsit'], { broken })).code).toBe(2)
  const bounced = [...invite.slice(0, -1), 'bounce@candidate.test']
  expect((await certify(bounced, { broken })).code).toBe(0)
})

test('text from the service has no control sequences, in refusals and in partial results', async () => {
  const { certify } = createRunner()
  const words = 'a\u001b[2Jb\u202ec'
  const refusal = JSON.stringify({ data: null, errors: [{ message: words, extensions: { code: 'BAD_USER_INPUT' } }] })
  const odd = JSON.stringify({ data: { developerCreateCertificationInvite: { inviteId: words } } })
  for (const body of [refusal, odd]) {
    for (const flags of [[], ['--json']]) {
      const { stderr } = await certify([...invite, ...flags], {
        terminal: 80,
        env: { NO_COLOR: '1' },
        fetch: http(200, body),
      })
      for (const control of ['\u001b', '\u202e']) expect(stderr).not.toContain(control)
    }
    expect(
      JSON.stringify(JSON.parse((await certify([...invite, '--json'], { fetch: http(200, body) })).stderr)),
    ).toContain(JSON.stringify(words).slice(1, -1))
  }
})

test('at a terminal, the sentences of the SDK name no option and no field of its errors', () => {
  for (const name of ['invites.create', 'tracks.list']) {
    const operation = { name, kind: name === 'tracks.list' ? 'query' : 'mutation' } as const
    for (const kind of Object.keys(FAILURES) as FailureKind[]) {
      const { message, hint } = wordError(new CertifyError(describeFailure(operation, { kind })))
      expect(`${message} ${hint}`).not.toMatch(/baseUrl|timeoutMs|apiMessages|`partial`|`cause`|^\w+\.\w+:/)
    }
  }
})
