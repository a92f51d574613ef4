import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { callbackUrls } from '../../src/callbacks/index.ts'
import { installExample, packageOf, type RunningExample, runScript, startExample } from './run-example.ts'

const SECRET = 'a secret of thirty-two characters'
const QUIZ = { quizId: 'quiz_react_beginner_state' }

/**
 * The rules of every example that has `POST /applicants/:id/invite`, `GET /applicants/:id` and `/certify/:token`.
 *
 * @param how as for `installExample`
 * @param prepare prepares the folder for another command than its `start` script, and returns that command
 */
export function testInviting(
  name: string,
  { how, prepare }: { readonly how?: 'linked' | 'copied'; readonly prepare?: (folder: string) => string } = {},
): void {
  const mock = createMockServer()
  const env: Record<string, string> = {}
  let folder: string
  let command: string | undefined
  let running: RunningExample
  const started: RunningExample[] = []
  const outputs: string[] = []
  /* The responses of the applicant routes. */
  const answers: string[] = []

  beforeAll(async () => {
    const { url } = await mock.listen()
    Object.assign(env, {
      CERTIFY_BASE_URL: url,
      CERTIFY_API_KEY: mock.apiKey,
      CALLBACK_URL: 'https://app.example/certify',
      CALLBACK_SECRET: SECRET,
    })
    folder = installExample(inject('consumer'), name, how)
    const { scripts = {} } = packageOf(name)
    /* Both compile it in strict mode against the types of the package. */
    runScript(folder, 'build' in scripts ? 'build' : 'typecheck')
    command = prepare?.(folder)
    await start()
  }, MAX_BUILD_MS)
  afterAll(async () => {
    for (const each of started) each.kill()
    await mock.close()
  })

  async function start(): Promise<void> {
    running = await startExample(folder, env, command)
    started.push(running)
    mock.callbacks.deliverTo(running.origin)
  }

  const invite = async (id: string, body: unknown = QUIZ) => {
    const answer = await post(`${running.origin}/applicants/${id}/invite`, JSON.stringify(body))
    answers.push(JSON.stringify(answer.body))
    return answer
  }
  const state = async (id: string) => {
    const text = await (await fetch(`${running.origin}/applicants/${id}`)).text()
    answers.push(text)
    return JSON.parse(text) as { readonly sends: readonly Sent[] }
  }
  const createsFor = (email: string) => mock.outbox.filter(({ to }) => to === email).length
  const creates = () =>
    mock.requestLog.list().filter(({ operations }) => operations.some((each) => each.includes('Create'))).length

  test('an applicant is invited once, even if the request is sent twice at the same time, and again', async () => {
    const both = await Promise.all([invite('17'), invite('17')])
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200])
    const [{ inviteId } = {}] = mock.invites
    const invited = { state: 'invited', inviteId, emailSent: true }
    expect([...both, await invite('17')].map(({ body }) => body)).toEqual([invited, invited, invited])
    expect(createsFor('ada@example.com')).toBe(1)
    expect(creates()).toBe(1)
  })

  test('a callback records the result', async () => {
    expect(await state('17')).toMatchObject({ sends: [{ state: 'created', results: ['none yet'] }] })
    mock.open(mock.invites[0]?.inviteId ?? '').pass()
    await mock.settle()
    expect(mock.callbacks.list().flatMap(({ attempts }) => attempts.map(({ status }) => status))).toEqual([200])
    await expect.poll(() => state('17'), WAIT).toMatchObject({ sends: [{ results: ['passed'] }] })
  })

  test('a callback with a forged token is refused and changes nothing', async () => {
    const { url, body } = mock.callbacks.list()[0] ?? { url: '', body: '' }
    const before = await state('17')
    const event = JSON.stringify({ ...(JSON.parse(body) as object), result: 'FAILED' })
    const { reference } = before.sends[0] ?? { reference: '' }
    const baseUrl = `${running.origin.replace('http:', 'https:')}/certify`
    const forger = callbackUrls({ baseUrl, secrets: [SECRET.toUpperCase()] })
    const minted = (await forger.mint(reference)).replace('https:', 'http:')
    /* It has the right reference, like the real one. */
    expect(minted.split('/').at(-1)?.split('.')[0]).toBe(url.split('/').at(-1)?.split('.')[0])
    for (const forged of [minted, `${running.origin}/certify/forged`]) {
      expect(await post(forged, event)).toMatchObject({ status: 404 })
    }
    expect(await state('17')).toEqual(before)
  })

  test('a truncated callback is not acknowledged, so that it is delivered again', async () => {
    const { url, body } = mock.callbacks.list()[0] ?? { url: '', body: '' }
    const { pathname } = new URL(url)
    expect(await post(running.origin + pathname, body.slice(0, -1))).toMatchObject({ status: 400 })
  })

  test('a lost response is reported as being checked, and nothing is sent again', async () => {
    const before = creates()
    const first = await invite('19')
    expect(first).toEqual({ status: 202, body: { state: 'being checked', reference: expect.any(String) } })
    expect(await invite('19')).toEqual(first)
    expect(creates()).toBe(before + 1)
    expect(await state('19')).toMatchObject({ sends: [{ state: 'unknown' }] })
  })

  test('an event settles an invite whose response was lost', async () => {
    const lost = mock.invites.at(-1)
    mock.open(lost?.inviteId ?? '').fail()
    await mock.settle()
    await expect.poll(() => state('19'), WAIT).toMatchObject({ sends: [{ state: 'created', results: ['failed'] }] })
  })

  test('invalid input gets 4xx, and nothing is sent', async () => {
    const before = mock.requestLog.list().length
    const refused = { status: 400, body: { state: 'not invited', code: 'INPUT_INVALID' } }
    for (const quizId of [undefined, ' ', ['quiz_react_beginner_state']]) {
      expect(await invite('18', { quizId })).toEqual(refused)
    }
    expect(await invite('nobody')).toEqual({ status: 404, body: { state: 'no such applicant' } })
    /* Some frameworks refuse these bodies themselves, with their own messages. */
    const unread = await Promise.all([
      invite('18', null),
      post(`${running.origin}/applicants/18/invite`, '{"quizId"'),
      fetch(`${running.origin}/applicants/18/invite`),
    ])
    expect(unread.map(({ status }) => status).filter((status) => status < 400 || status > 499)).toEqual([])
    expect(mock.requestLog.list()).toHaveLength(before)
  })

  test('a refusal by the service has its code but not its message', async () => {
    expect(await invite('18', { quizId: 'no_such_quiz' })).toEqual({
      status: 422,
      body: { state: 'not invited', code: 'BAD_USER_INPUT' },
    })
    expect(createsFor('grace@example.com')).toBe(0)
  })

  /* The last test checks that the token is not in the output. */
  test('a callback to a wrong path is refused', async () => {
    const token = mock.callbacks.list()[0]?.url.split('/').at(-1)
    for (const path of [`certify/${token}/more`, `events/${token}`, `applicants/${token}`]) {
      expect(await post(`${running.origin}/${path}`, '{}')).toMatchObject({ status: expect.toBeOneOf([404, 405]) })
    }
  })

  /* Platforms do not stop Workers by signals. */
  test.skipIf(prepare !== undefined)('SIGTERM during a create loses nothing', async () => {
    const before = creates()
    mock.faults.add({ email: 'grace@example.com', fault: { delayMs: 1500 } })
    const answer = invite('18')
    await expect.poll(() => creates(), WAIT).toBe(before + 1)
    const ended = running.end('SIGTERM')
    expect(await answer).toMatchObject({ status: 200 })
    expect([0, 143, 'SIGTERM']).toContain(await ended)
    outputs.push(running.output())

    await start()
    expect(await state('18')).toMatchObject({ sends: [{ state: 'created' }, { state: 'refused' }] })
    expect(await invite('18')).toMatchObject({ status: 200 })
    expect(creates()).toBe(before + 1)
  })

  test.each([
    ['that is final gets 422', { code: 'NOT_FOUND' }, 422, 'NOT_FOUND'],
    ['that is temporary gets 503', { status: 429, headers: { 'retry-after': '3600' } }, 503, 'RATE_LIMITED'],
    ['that ends when the key is replaced gets 503', { code: 'FORBIDDEN' }, 503, 'FORBIDDEN'],
  ] as const)('a refusal %s', async (_, fault, status, code) => {
    mock.faults.add({ email: 'grace@example.com', fault })
    expect(await invite('18', { quizId: `quiz_of_${code}` })).toEqual({ status, body: { state: 'not invited', code } })
  })

  test('output and responses have no candidate data, key, link or token', () => {
    const output = [...outputs, running.output(), ...answers].join('\n')
    expect(output).toContain('invite: CONNECTION_LOST')
    const tokens = mock.callbacks.list().map(({ url }) => new URL(url).pathname.split('/').at(-1) ?? '')
    const links = mock.invites.map(({ challengeUrl }) => challengeUrl)
    const secrets = [
      mock.apiKey,
      SECRET,
      'ada@',
      'grace@',
      'cut-after@',
      'Byron',
      'Hopper',
      'Lamarr',
      ...tokens,
      ...links,
    ]
    expect(secrets.filter((secret) => output.includes(secret))).toEqual([])
  })
}

/* Next.js on a busy machine. */
const MAX_BUILD_MS = 300_000

interface Sent {
  readonly reference: string
  readonly results: readonly string[]
}

const WAIT = { timeout: 120_000 }

async function post(url: string, body: string) {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const text = await response.text()
  return { status: response.status, body: text.startsWith('{') ? (JSON.parse(text) as unknown) : text }
}
