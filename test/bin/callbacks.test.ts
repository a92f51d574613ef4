import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test, vi } from 'vitest'
import { startServer } from '../src/http-server.ts'
import { BASE_URL, CREATE, createApplication, createLoop, type Listener, PATIENCE, SECRET } from './listening.ts'

const create = CREATE

const token = /[\w-]+\.[\w-]{43}/

/** Invites a candidate who fails, claims a retake and passes it. */
async function play({ mock, certify }: ReturnType<typeof createLoop>) {
  const { code, stdout, stderr } = await certify([...create, '--json'])
  expect([code, stderr]).toEqual([0, ''])
  const challenge = mock.open((JSON.parse(stdout) as { challengeUrl: string }).challengeUrl)
  challenge.fail()
  mock.open(challenge.claim('retake').challengeUrl).pass()
  await mock.settle()
}

function post(listener: Listener, url: string, body: string): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return fetch(listener.url + new URL(url.trim()).pathname, { method: 'POST', body, headers })
}

async function until(listener: Listener, count: number, type = 'event') {
  await vi.waitFor(() => expect(listener.told(type).length).toBeGreaterThanOrEqual(count), PATIENCE)
  return listener.told(type)
}

test('a fail, a retake and a pass are printed once and in order, with the reference and without a token', async () => {
  const loop = createLoop()
  const listener = await loop.listen()
  await play(loop)
  const events = await until(listener, 3)
  const [record] = JSON.parse((await loop.certify(['invites', 'list', '--json'])).stdout) as {
    inviteId: string
    reference: string
  }[]
  expect(events).toMatchObject([
    { event: 'certification.completed', result: 'FAILED', inviteId: record?.inviteId, reference: record?.reference },
    { event: 'certification.follow_up_claimed', kind: 'retake', inviteId: record?.inviteId },
    { event: 'certification.completed', result: 'PASSED', inviteId: events[1]?.['followUpInviteId'] },
  ])
  for (const { id } of loop.mock.callbacks.list()) loop.mock.callbacks.redeliver(id)
  await loop.mock.settle()
  const { code, stdout, stderr } = await listener.stop()
  expect([code, stderr, stdout.split('\n').length]).toEqual([0, '', 5])
  expect(stdout).not.toMatch(token)
  expect(stdout).not.toContain('ada@')
})

test('without --json an event is one row, and stderr shows the address, the ledger and where the secret is from', async () => {
  const loop = createLoop()
  for (const terminal of [undefined, 100]) {
    const listener = await loop.listen(
      [],
      { env: { NO_COLOR: '1' }, ...(terminal !== undefined && { terminal }) },
      true,
    )
    const url = await loop.urlOf()
    await post(
      listener,
      url,
      '{"type":"certification.completed","data":{"inviteId":"inv_1","result":"PASSED\\u001b[2J"}}',
    )
    await vi.waitFor(() => expect(listener.stdout()).not.toBe(''), PATIENCE)
    const { stdout, stderr } = await listener.stop()
    const gap = terminal === undefined ? '\t' : '  '
    expect(stdout.split(gap).toSpliced(5)).toEqual([
      '2030-01-01T00:00:00.000Z',
      'certification.completed',
      'inv_1',
      'PASSED',
      expect.stringMatching(/^[\da-f-]{36}$/),
    ])
    expect(stderr).toContain(`address  ${listener.url}`)
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(loop.home.ledger)
    expect(stderr).toMatch(/secret +profile default, in\s/)
  }
})

test('a profile gets a secret that only its owner can read, survives a logout and is never printed', async () => {
  const loop = createLoop()
  const { home, certify } = loop
  const path = join(home.folder, 'config/callback-secrets.json')
  const first = await certify([...create, '--json'])
  const secretsOf = () => JSON.parse(readFileSync(path, 'utf8')) as Record<string, [string]>
  const { default: [secret] = [''] } = secretsOf()
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(secret.length).toBeGreaterThanOrEqual(43)
  await certify(['auth', 'logout', '--all'])
  expect(await loop.urlOf()).toMatch(new RegExp(`^${BASE_URL}/${token.source}$`))
  expect(secretsOf()).toEqual({ default: [secret] })
  expect(first.stdout + first.stderr).not.toContain(secret)
})

test('secrets come from a variable or a file, one per line: the first signs, the others still verify', async () => {
  const loop = createLoop()
  const old = await loop.urlOf({ CERTIFY_CALLBACK_SECRET: SECRET })
  const path = join(loop.home.folder, 'secrets')
  writeFileSync(path, `the new secret has more than 32 characters\r\n${SECRET}\n`, { mode: 0o600 })
  const env = { CERTIFY_CALLBACK_SECRET_FILE: path }
  const files = { [path]: readFileSync(path, 'utf8') }
  const listener = await loop.listen([], { env, files })
  expect((await post(listener, old, '{"n":1}')).status).toBe(200)
  const { code } = await loop.certify([...create, '--if-invited', 'create'], { env, files })
  expect(code).toBe(0)
  expect((await post(listener, loop.mock.invites.at(-1)?.callbackUrl ?? '', '{"n":1}')).status).toBe(200)
  expect(existsSync(join(loop.home.folder, 'config/callback-secrets.json'))).toBe(false)
})

test.each([
  [{ CERTIFY_CALLBACK_SECRET: 'too short' }, [], 'shorter than 32 characters'],
  [{ CERTIFY_CALLBACK_SECRET_FILE: '/none' }, [], 'cannot be read (ENOENT)'],
  [{ CERTIFY_CALLBACK_BASE_URL: '' }, [], 'no callback base URL'],
  [{ CERTIFY_CALLBACK_BASE_URL: 'http://app.example' }, [], 'CERTIFY_CALLBACK_BASE_URL must start with https://'],
  [{}, ['--callback-base-url', 'https://app.example?a=1'], '--callback-base-url must start with https://'],
])('missing or invalid settings for callback URLs are refused: %j %j', async (env, flags, message) => {
  const { certify, mock } = createLoop()
  const { code, stdout, stderr } = await certify([...create, ...flags], { env })
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)])
  expect(stderr).not.toContain('too short\n')
  expect(mock.invites).toEqual([])
})

test('the callback base URL comes from the option, then the variable, then the profile', async () => {
  const loop = createLoop()
  const { certify, home } = loop
  const none = { CERTIFY_CALLBACK_BASE_URL: '' }
  const keep = (callbackBaseUrl: unknown) => {
    mkdirSync(join(home.folder, 'config'), { recursive: true })
    writeFileSync(home.config, JSON.stringify({ profile: 'acme', profiles: { acme: { callbackBaseUrl } } }))
  }
  keep('https://profile.example/certify')
  const variable = { CERTIFY_CALLBACK_BASE_URL: 'https://variable.example' }
  const flag = 'https://flag.example'
  expect(await loop.urlOf(none)).toMatch(/^https:\/\/profile\.example\/certify\/[^/]+$/)
  expect(await loop.urlOf(variable)).toMatch(/^https:\/\/variable\.example\//)
  expect(await loop.urlOf(variable, '--callback-base-url', flag)).toMatch(/^https:\/\/flag\.example\//)
  expect((await certify(['doctor'], { env: none })).stdout).toContain('https://profile.example/certify')
  keep('http://profile.example')
  const invalid = await certify(create, { env: none })
  expect([invalid.code, invalid.stderr]).toEqual([2, expect.stringContaining('profile acme must start with https://')])
  keep(7)
  expect((await certify(create, { env: none })).stderr).toContain('is not a configuration of this program')
})

test('an invalid file of secrets is left unchanged, and the error says what depends on it', async () => {
  const { certify, home } = createLoop()
  await certify(create)
  const path = join(home.folder, 'config/callback-secrets.json')
  for (const content of ['{', '{"default":[1]}', '{"default":"x"}', '[]']) {
    writeFileSync(path, content)
    const { code, stderr } = await certify(create)
    expect([code, stderr]).toEqual([2, expect.stringContaining('the events of invites that were sent are refused')])
    expect(readFileSync(path, 'utf8')).toBe(content)
  }
})

test('--forward-to sends an event with its body, key and reference, and prints it once it was accepted', async () => {
  const loop = createLoop()
  const application = await createApplication()
  const listener = await loop.listen(['--forward-to', application.url])
  await play(loop)
  const events = await until(listener, 3)
  const sent = loop.mock.callbacks.list()
  expect(application.requests.map(({ body }) => body)).toEqual(sent.map(({ body }) => body))
  const [first] = application.requests
  expect(first).toMatchObject({ method: 'POST', path: '/hook?a=1' })
  expect(first?.headers).toMatchObject({
    'content-type': 'application/json',
    'x-certify-event-key': events[0]?.['key'],
    'x-certify-event-id': sent[0]?.id,
    'x-certify-reference': events[0]?.['reference'],
  })
  expect(JSON.stringify(application.requests.map(({ headers }) => headers))).not.toMatch(token)
})

test('an event may have any type and encoding; what is no event is reported by its reference, not its body', async () => {
  const loop = createLoop()
  const listener = await loop.listen()
  const url = await loop.urlOf()
  const send = async (body: string | Buffer<ArrayBuffer>, headers: Record<string, string>) =>
    (await fetch(listener.url + new URL(url).pathname, { method: 'POST', headers, body })).status
  expect(await send(gzipSync('{"type":"x"}'), { 'content-type': 'text/plain', 'content-encoding': 'gzip' })).toBe(200)
  expect(await until(listener, 1)).toMatchObject([{ event: 'x' }])
  expect(await send('ada@example.com', { 'content-type': 'text/csv' })).toBe(400)
  const [{ reference }] = listener.told('event') as unknown as [{ reference: string }]
  expect(await until(listener, 1, 'failure')).toMatchObject([
    { key: null, reference, reason: expect.stringContaining('not JSON') },
  ])
  expect(listener.stdout() + listener.stderr()).not.toContain('ada@')
})

test('an event that keeps failing is listed as failed, and a running listener picks up its replay', async () => {
  const statuses = [302, 404, 500, 503, 503, 503]
  const loop = createLoop()
  const application = await createApplication(...statuses)
  let time = Date.parse('2030-01-01T00:00:00Z')
  const listener = await loop.listen(['--forward-to', application.url], { now: () => time })
  const url = await loop.urlOf()
  const [{ inviteId }] = loop.mock.invites as unknown as [{ inviteId: string }]
  const data = { inviteId, candidate: { email: 'ada@example.com' }, result: 'PASSED' }
  const body = JSON.stringify({ type: 'certification.completed', data })
  await post(listener, url, body)
  for (let tries = 1; tries <= statuses.length; tries += 1) {
    await until(listener, tries, 'failure')
    time += 3_600_000
  }
  expect(listener.told('failure').map(({ reason }) => reason)).toEqual(statuses.map((status) => `HTTP ${status}`))
  const failed = async () =>
    JSON.parse((await loop.certify(['callbacks', 'list', '--state', 'failed', '--json'])).stdout) as { key: string }[]
  await vi.waitFor(async () => expect(await failed()).toHaveLength(1), PATIENCE)
  const [{ key }] = (await failed()) as [{ key: string }]
  expect(await failed()).toEqual([
    expect.objectContaining({
      key,
      state: 'failed',
      event: 'certification.completed',
      inviteId,
      failures: statuses.length,
    }),
  ])
  expect((await loop.certify(['callbacks', 'list'])).stdout).not.toContain('ada@')
  const about = async (reference: string) =>
    (await loop.certify(['callbacks', 'list', '--reference', reference])).stdout
  const [{ reference }] = (await failed()) as unknown as [{ reference: string }]
  expect([await about(reference), await about('ref-2')]).toEqual([expect.stringContaining(key), ''])
  const unasked = await loop.certify(['callbacks', 'replay', key])
  expect([unasked.code, unasked.stdout, unasked.stderr]).toEqual([2, '', expect.stringContaining('Give --yes')])
  expect(listener.told('event')).toEqual([])
  expect(await loop.certify(['callbacks', 'replay', '--failed', '--yes', '--quiet'])).toMatchObject({
    code: 0,
    stdout: `${key}\n`,
  })
  expect(await until(listener, 1)).toMatchObject([{ key, result: 'PASSED' }])
})

test('a replay changes nothing with an unknown key, in a dry run or without a clear choice', async () => {
  const loop = createLoop()
  const listener = await loop.listen()
  await play(loop)
  const [{ key }] = (await until(listener, 3)) as unknown as [{ key: string }]
  await listener.stop()
  const states = async () =>
    JSON.parse((await loop.certify(['callbacks', 'list', '--json'])).stdout) as { state: string }[]
  expect((await states()).map(({ state }) => state)).toEqual(['handled', 'handled', 'handled'])
  expect(await loop.certify(['callbacks', 'replay', key, 'cb_none', '--yes'])).toMatchObject({ code: 5, stdout: '' })
  expect((await loop.certify(['callbacks', 'replay', '--yes'])).code).toBe(2)
  expect((await loop.certify(['callbacks', 'replay', key, '--failed', '--yes'])).code).toBe(2)
  const planned = await loop.certify(['callbacks', 'replay', key, '--dry-run'])
  expect([planned.code, planned.stdout, planned.stderr]).toEqual([
    0,
    expect.stringContaining(`${key}\thandled\t`),
    expect.stringContaining('they are handled a second time'),
  ])
  expect((await states()).map(({ state }) => state)).toEqual(['handled', 'handled', 'handled'])
  const confirmed = await loop.certify(['callbacks', 'replay', key, key, '--json'], { answers: ['y'], terminal: 100 })
  expect(confirmed.asked).toMatchObject([{ text: 'Handle this event again? [y/N] ' }])
  expect((await states()).map(({ state }) => state)).toEqual(['waiting', 'handled', 'handled'])
  const next = await loop.listen()
  expect(await until(next, 1)).toMatchObject([{ key }])
})

test('Ctrl-C lets the event in progress finish', async () => {
  const loop = createLoop()
  const application = await createApplication()
  const listener = await loop.listen(['--forward-to', application.url])
  await post(listener, await loop.urlOf(), '{"n":1}')
  await vi.waitFor(() => expect(application.requests).toHaveLength(1), PATIENCE)
  const { code } = await listener.stop()
  expect([code, listener.told('event').length]).toEqual([0, 1])
  await expect(fetch(listener.url)).rejects.toThrow('fetch failed')
})

test('Ctrl-C does not wait for an application that does not answer: the event stays waiting', async () => {
  const loop = createLoop()
  const silent = await startServer(() => {})
  const listener = await loop.listen(['--forward-to', silent.url])
  await post(listener, await loop.urlOf(), '{"n":1}')
  await vi.waitFor(() => expect(silent.received).toHaveLength(1), PATIENCE)
  expect((await listener.stop()).code).toBe(0)
  expect(listener.told('failure')).toMatchObject([{ reason: 'no response in time' }])
  expect((await loop.certify(['callbacks', 'list', '--state', 'waiting', '--quiet'])).stdout).toMatch(/^cb_/)
})

test('a port in use and invalid options exit with 2', async () => {
  const loop = createLoop()
  const { url } = await loop.listen()
  const { code, stderr } = await loop.certify(['callbacks', 'listen', '--port', new URL(url).port])
  expect([code, stderr]).toEqual([2, expect.stringContaining('(EADDRINUSE)')])
  for (const flags of [
    ['--forward-to', 'app'],
    ['--forward-to', 'ftp://app'],
    ['--port', '70000'],
  ]) {
    expect((await loop.certify(['callbacks', 'listen', ...flags])).code).toBe(2)
  }
})

test('a dry run with --callbacks creates no secret', async () => {
  const { certify, home } = createLoop()
  const { code, stdout } = await certify([...create, '--dry-run', '--json'])
  expect([code, stdout]).toEqual([0, expect.stringContaining(`"callbackUrl":"${BASE_URL}/`)])
  expect(existsSync(join(home.folder, 'config/callback-secrets.json'))).toBe(false)
})

test('a dry run hides the token of a callback URL, whether generated or given', async () => {
  const { certify } = createLoop()
  const url = `${BASE_URL}/cmVmLTE.${'A'.repeat(43)}`
  const given = [...create.slice(0, -1), '--callback-url', url]
  const shown = new RegExp(`"callbackUrl": ?"${BASE_URL}/[\\w-]+\\.\\(not shown\\)"`)
  for (const argv of [create, given, [...create, '--json'], [...given, '--json']]) {
    const { code, stdout } = await certify([...argv, '--dry-run'])
    expect([code, stdout]).toEqual([0, expect.stringMatching(shown)])
    expect(stdout).not.toMatch(token)
  }
})

test('every skill of a package invite has the same callback URL, and bulk creates one per row', async () => {
  const loop = createLoop()
  const { certify, mock } = loop
  const argv = ['invites', 'create', '--package-id', 'pkg_react_beginner', '--email', 'a@example.com', '--callbacks']
  expect((await certify(argv)).code).toBe(0)
  const stdin =
    'email,quiz_id,callback_url\nb@example.com,quiz_react_beginner_state,\nc@example.com,quiz_react_beginner_state,\n'
  const plan = await certify(['bulk', '-', '--callbacks', '--dry-run'], { stdin })
  expect(plan.stderr).toMatch(/callbacks to +app\.example\n/)
  const bulk = await certify(['bulk', '-', '--callbacks', '--yes', '--json'], { stdin })
  expect([bulk.code, bulk.stderr]).toEqual([0, ''])
  const listener = await loop.listen()
  for (const { challengeUrl } of mock.invites) mock.open(challengeUrl).pass()
  await mock.settle()
  const count = mock.invites.length
  const events = await until(listener, count)
  expect(new Set(events.map(({ reference }) => reference)).size).toBe(3)
})

test('a row with a callback_url is invalid with --callbacks, and nothing is sent', async () => {
  const { certify, mock } = createLoop()
  const stdin = 'email,quiz_id,callback_url\nb@example.com,quiz_react_beginner_state,https://app.example/hook\n'
  const { code, stderr } = await certify(['bulk', '-', '--callbacks', '--yes'], { stdin })
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('row 2: callback_url and --callbacks cannot be used together'),
  ])
  expect(mock.invites).toEqual([])
})
