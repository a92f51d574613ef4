import { expect, onTestFinished, test, vi } from 'vitest'
import { wordError } from '../../bin/terminal/error-wording.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { CertifyError } from '../../src/index.ts'
import { describeFailure, FAILURES, type FailureKind } from '../../src/transport/failures.ts'
import { createRunner, type World } from './run.ts'

const quizId = 'quiz_react_beginner_components'
const invite = ['invites', 'create', '--quiz-id', quizId, '--email', 'ada@example.com']
const mock = createMockServer()
const key = (name: string) => ({ env: { CERTIFY_API_KEY: mock.apiKeys.find((each) => each.name === name)?.key } })
const http = (status: number, body = '') => ({ fetch: async () => new Response(body, { status }) })
const failing = (code: string, syscall: string) => ({
  fetch: async () => Promise.reject(Object.assign(new Error('x'), { code, syscall })),
})
const refused = failing('ECONNREFUSED', 'connect')
const lost = failing('ECONNRESET', 'read')

/* How an invite to a quiz or a package begins. */
const SHORT: Readonly<Record<string, readonly string[]>> = {
  INVITE: invite.slice(0, -1),
  PACKAGE: ['invites', 'create', '--package-id', 'pkg_react_beginner', '--email'],
}
const argvOf = (command: string) =>
  Array.from(command.matchAll(/'([^']*)'|\S+/g)).flatMap(([word, quoted]) => SHORT[word] ?? [quoted ?? word])

const INVITE = 'INVITE a@b.c'

const usage: readonly (readonly [command: string, words: RegExp])[] = [
  ['trakcs list', /unknown command 'trakcs'[\s\S]*Did you mean tracks\?/],
  ['login', /unknown command 'login'\. Did you mean auth login\?/],
  ['create', /Did you mean invites create\?/],
  ['list', /Did you mean tracks list\?/],
  ['tracks lsit', /unknown command 'lsit'/],
  ['tracks list --serach x', /unknown option '--serach'[\s\S]*Did you mean --search\?/],
  ['tracks list --search', /--search <text>' argument missing/],
  ['tracks list --profile', /option '--profile <name>' argument missing/],
  ['tracks list extra', /too many arguments for 'list'\. Expected 0 arguments but got 1\./],
  ['tracks view', /missing required argument 'slug'/],
  ["tracks view ' '", /the slug must not be blank/],
  [
    'invites create --email a@b.c',
    /--quiz-id or --package-id is missing[\s\S]*tracks view <slug>` shows the ids of quiz/,
  ],
  ['invites create --quiz-id q', /required option '--email <address>' not specified/],
  ["invites create --quiz-id '' --email a@b.c", /--quiz-id must not be blank/],
  ['invites create --quiz-id q --email ada', /--email must be a valid e-mail address: it has no @/],
  ['invites create --quiz-id q --email ada --dry-run', /--email must be a valid e-mail address: it has no @/],
  ['invites create --package-id p --email ada', /--email must be a valid e-mail address/],
  ['INVITE a@b.c --callback-url http://x.y', /--callback-url must be a valid URL that starts with https/],
  ['PACKAGE a@b.c --external-reference r', /cannot be used with option '--package-id/],
  ['INVITE a@b.c --api-key canary', /a secret is never taken from the command line \(--api-key\)/],
  ['INVITE a@b.c --api-key=canary', /a secret is never taken from the command line \(--api-key\)/],
  ['--token canary tracks list', /a secret is never taken from the command line \(--token\)/],
  ['INVITE a@b.c --key=canary', /a secret is never taken from the command line \(--key\)/],
  ['tracks view -- --json extra', /too many arguments/],
  ['INVITE a@b.c -kcanary', /unknown option '-k'/],
  ['INVITE a@b.c --callback-url https://x.y --callback-url https://canary', /may be given only once/],
  ['INVITE a@b.c --quizid', /unknown option '--quizid'\. Did you mean --quiz-id\?/],
  ['INVITE a@b.c --quizid=canary', /unknown option '--quizid'\.\n/],
  ['bulk - --field x', /unknown option '--field'\.\n/],
  ['INVITE a@b.c --email bob@b.c', /option '--email <address>' is invalid. It may be given only once/],
  ['INVITE a@b.c --name Ada Byron', /too many arguments/],
  ['INVITE a@b.c --json=1', /unknown option '--json'/],
  ['help nonsense', /there is no command 'nonsense'/],
  ['help tracks nonsense', /there is no command 'tracks nonsense'/],
  ['nonsense --help', /unknown command 'nonsense'/],
  ['mock --port many', /whole number from 0 to 65535/],
  ['mock --port 65536', /whole number from 0 to 65535/],
  ['mock Exce -- npm test', /unknown command 'Exce'\. Did you mean exec\?\nhint: See certify mock --help\./],
  ['INVITE a@b.c --callbacks --callback-url https://x.y', /'--callbacks' cannot be used with option/],
  ['tracks list --timeout 30', /--timeout <duration>' is invalid[\s\S]*30s/],
  ['tracks list --timeout 1d', /--timeout <duration>' is invalid/],
  ['tracks list --deadline 0s', /--deadline <duration>' is invalid/],
  ['tracks list --profile sandbx', /no profile with this name\. Did you mean sandbox\?/],
  ['tracks list --no-color', /unknown option '--no-color'/],
  ['api', /missing required argument 'document'/],
  ['api @gone', /gone cannot be read \(ENOENT\)/],
  [`api '{ x }' --variables {"email":"canary"}`, /names no file[\s\S]*--variables @file, or -/],
  ['api - --variables -', /cannot both come from stdin/],
  ['invites list --state opened', /'--state <state>' is invalid/],
  ['invites list --since yesterday', /'--since <when>' is invalid/],
  ['invites list --since 2030-02-30', /'--since <when>' is invalid/],
  ['invites list --since 2030-01-01T09:00', /'--since <when>' is invalid/],
  ['invites list --limit 0', /'--limit <number>' is invalid/],
  ['invites list --expiring-within 3', /'--expiring-within <span>' is invalid/],
  ['ledger purge', /--email or --older-than is missing/],
  ['ledger purge --email a@b.c --older-than 1d', /cannot be used with option/],
  ["ledger purge --email ' '", /It must not be blank/],
  ["studio --host ''", /It must not be blank/],
  ["callbacks listen --host ' '", /It must not be blank/],
  ['ledger purge --older-than 11y', /'--older-than <span>' is invalid/],
]

const situations: readonly (readonly [command: string, when: string, world: World, code: number, words: RegExp])[] = [
  ["api '{ x }' --variables @v", 'v has a list', { files: { v: '["canary"]' } }, 2, /--variables is not a JSON object/],
  ['api -', 'stdin is a terminal', { answers: [] }, 2, /stdin is a terminal/],
  [INVITE, 'the base URL is empty', { env: { CERTIFY_BASE_URL: '' } }, 2, /no base URL/],
  [INVITE, 'the base URL is not set', { env: { CERTIFY_BASE_URL: undefined } }, 2, /no base URL/],
  [
    INVITE,
    'the base URL is a host name',
    { env: { CERTIFY_BASE_URL: 'certify.test' } },
    2,
    /the base URL \(CERTIFY_BASE_URL or --base-url\) must be an absolute http or https URL/,
  ],
  [
    INVITE,
    'the base URL is http to another machine',
    { env: { CERTIFY_BASE_URL: 'http://certify.test' } },
    2,
    /is http to another machine/,
  ],
  [INVITE, 'the key is empty', { env: { CERTIFY_API_KEY: '' } }, 4, /no API key/],
  [
    INVITE,
    'the file of the key is missing',
    { env: { CERTIFY_API_KEY: '', CERTIFY_API_KEY_FILE: 'gone' } },
    4,
    /CERTIFY_API_KEY_FILE cannot be read \(ENOENT\)/,
  ],
  [INVITE, 'the key has two lines', { env: { CERTIFY_API_KEY: 'canary\nkey' } }, 2, /not one line of visible ASCII/],
  [INVITE, 'the key is wrong', { env: { CERTIFY_API_KEY: 'ck_wrong' } }, 4, /did not accept the credentials/],
  [INVITE, 'the key may only read', key('read'), 4, /lack the scope[\s\S]*hint: .*CERTIFICATION_INVITE_CREATE/],
  ['PACKAGE a@b.c', 'the key has no scope', key('none'), 4, /lack the scope[\s\S]*hint: .*CERTIFICATION_INVITE_CREATE/],
  [
    'tracks list',
    'the key may only invite',
    key('invite'),
    4,
    /lack the scope[\s\S]*hint: .*CERTIFICATION_PACKAGE_READ/,
  ],
  ['tracks view no-such-track', 'there is no such track', {}, 5, /there is no track with this slug/],
  ["api '{ noSuchField }'", 'there is no such field', {}, 5, /the service says: .*noSuchField/],
  [
    'invites create --quiz-id quiz_unknown --email a@b.c',
    'there is no such quiz',
    {},
    5,
    /refused the input[\s\S]*the service says: .*quiz_unknown/,
  ],
  [
    'INVITE marta.lindqvist@candidate.test',
    'the candidate holds the certification',
    {},
    5,
    /BAD_USER_INPUT[\s\S]*the service says: .*holds a certification[\s\S]*hint: Check which of the documented reasons applies: the quiz is not READY/,
  ],
  ['INVITE tomasz.okafor@candidate.test', 'the candidate has an attempt', {}, 5, /BAD_USER_INPUT/],
  ['PACKAGE marta.lindqvist@candidate.test', 'the candidate holds a certification', {}, 5, /BAD_USER_INPUT/],
  [
    'PACKAGE tomasz.okafor@candidate.test',
    'the candidate has an attempt',
    {},
    5,
    /BAD_USER_INPUT[\s\S]*hint: Check which of the documented reasons applies: the candidate has an attempt/,
  ],
  [
    INVITE,
    'the service says no',
    http(200, '{"errors":[{"message":"no"}]}'),
    5,
    /says: no\nhint: No reason is known but the messages of the service\.\n/,
  ],
  [INVITE, 'the connection is refused', refused, 7, /could not be reached \(ECONNREFUSED\)[\s\S]*start `certify mock`/],
  ['tracks list', 'the connection is refused', refused, 7, /could not be reached/],
  ['tracks list', 'the connection is lost', lost, 7, /connection ended/],
  [
    'tracks list',
    'the certificate has expired',
    failing('CERT_HAS_EXPIRED', 'connect'),
    7,
    /was not accepted[\s\S]*Check its name and dates, or set NODE_EXTRA_CA_CERTS[\s\S]*certify doctor/,
  ],
  ['tracks list', 'the service fails', http(500), 7, /the service failed \(HTTP 500\)/],
  [
    'tracks list',
    'the response is a page',
    http(200, '<h1>login</h1>'),
    7,
    /response could not be read[\s\S]*the base URL \(CERTIFY_BASE_URL/,
  ],
  [
    INVITE,
    'the response is a page',
    http(200, '<h1>login</h1>'),
    6,
    /It may have been created[\s\S]*check the base URL/,
  ],
  [INVITE, 'the service limits requests', http(429), 7, /limiting requests/],
  [INVITE, 'the service redirects', http(307), 7, /redirect/],
  [INVITE, 'the response is HTTP 404', http(404), 7, /in front of the service responded(?![\s\S]*certify mock)/],
  [
    INVITE,
    'the connection is lost',
    lost,
    6,
    /connection ended after[\s\S]*It may have been created[\s\S]*reference: [0-9a-f-]{36}/,
  ],
  [INVITE, 'SIGINT comes first', { interruption: AbortSignal.abort('SIGINT') }, 130, /aborted before it was sent/],
  [INVITE, 'SIGTERM comes first', { interruption: AbortSignal.abort('SIGTERM') }, 143, /aborted before it was sent/],
]

const failures = [
  ...usage.map(([command, words]) => [`certify ${command}`, argvOf(command), {}, 2, words] as const),
  ...situations.map(([command, when, ...row]) => [`certify ${command}, if ${when}`, argvOf(command), ...row] as const),
]

test.each(failures)('one clear error and no invite: %s', async (_what, argv, world, code, words) => {
  /* No time passes between attempts. */
  const random = vi.spyOn(Math, 'random').mockReturnValue(0)
  onTestFinished(() => random.mockRestore())
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
})

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
  const world = http(200, JSON.stringify({ data }))
  const text = await certify(invite, world)
  expect(text.code).toBe(6)
  expect(text.stderr).toContain('https://certify.test/c/only-copy')
  expect(text.stderr).toMatch(
    /^hint: It was created: do not call again\. Save the response \(`partial`\): it has the data\.$/m,
  )
  const json = await createRunner().certify([...invite, '--json'], world)
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
  expect((await certify(invite, { ...lost, broken })).code).toBe(6)
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
        ...http(200, body),
      })
      for (const control of ['\u001b', '\u202e']) expect(stderr).not.toContain(control)
    }
    expect(JSON.stringify(JSON.parse((await certify([...invite, '--json'], http(200, body))).stderr))).toContain(
      JSON.stringify(words).slice(1, -1),
    )
  }
})

test('at a terminal, the sentences of the SDK name none of its options', () => {
  for (const name of ['invites.create', 'tracks.list']) {
    const operation = { name, kind: name === 'tracks.list' ? 'query' : 'mutation' } as const
    for (const kind of Object.keys(FAILURES) as FailureKind[]) {
      const { message, hint } = wordError(new CertifyError(describeFailure(operation, { kind })))
      expect(`${message} ${hint}`).not.toMatch(/baseUrl|timeoutMs|^\w+\.\w+:/)
    }
  }
})
