import { once } from 'node:events'
import { request } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import type { MockListener, MockServer } from '../../mock-server/contract/mock-server.ts'
import type { MockListenOptions } from '../../mock-server/generated/contract.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { ask, CREATE, INES, invite, QUIZ } from './calls.ts'

const opened: MockServer[] = []

afterEach(async () => {
  await Promise.all(opened.splice(0).map((mock) => mock.close()))
})

async function listening(options?: MockListenOptions): Promise<{ mock: MockServer; listener: MockListener }> {
  const mock = createMockServer()
  opened.push(mock)
  return { mock, listener: await mock.listen(options) }
}

interface Told {
  readonly status: number
  readonly headers: NodeJS.Dict<string | string[]>
  readonly text: string
}

/** Asks as whoever it says it is: fetch would choose the Host and the Origin itself. */
function tell(url: string, method: string, headers: Record<string, string> = {}, body = ''): Promise<Told> {
  const { port, pathname, search } = new URL(url)
  return tellAt(Number(port), pathname + search, headers, method, body)
}

/** Asks for exactly this target: in a URL it would be put in order. */
function tellAt(port: number, path: string, headers: Record<string, string>, method = 'GET', body = ''): Promise<Told> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk) => (text += String(chunk)))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
    })
    sent.on('error', reject).end(body)
  })
}

const JSON_TYPE = { 'content-type': 'application/json' }

async function control(mock: MockServer, way: string, body?: unknown): Promise<{ status: number; body: unknown }> {
  const [method = 'GET', path = ''] = way.split(' ')
  const response = await mock.fetch(`${mock.baseUrl}/__mock${path}`, {
    method,
    headers: JSON_TYPE,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? null : JSON.parse(text) }
}

describe('the control API does over HTTP what the mock does in process', () => {
  test('a search finds a text in any case, letter by letter', async () => {
    const mock = createMockServer()
    await invite(mock, { candidate: { ...INES, name: 'Οδυσσέας (Ithaca)' } })
    const found = async (text: string) => {
      const { body } = await control(mock, `GET /invites?search=${encodeURIComponent(text)}`)
      return (body as { total: number }).total
    }
    expect(await Promise.all(['ΟΔΥΣ', ' (ithaca) ', 'ΟΔΥΣΣΕΥΣ', ''].map(found))).toEqual([1, 1, 0, 1])
  })

  test('a whole world goes out and comes back', async () => {
    const [mock, other] = [createMockServer(), createMockServer()]
    await invite(mock)
    const { body: state } = await control(mock, 'GET /state')
    expect((await control(other, 'PUT /state', state)).status).toBe(200)
    expect(other.invites).toEqual(mock.invites)
    expect(await control(other, 'POST /reset')).toMatchObject({ status: 200, body: { invites: 0 } })
  })

  test('a state of many megabytes is taken', async () => {
    const mock = createMockServer()
    const { body: state } = await control(mock, 'GET /state')
    const padded = { ...(state as object), note: 'x'.repeat(3_000_000) }
    expect((await control(mock, 'PUT /state', padded)).status).toBe(200)
  })

  test('a damaged state is refused, and the world stays as it was', async () => {
    const mock = createMockServer()
    await invite(mock)
    const whole = createMockServer().snapshot()
    for (const damage of [
      { world: {} },
      { world: null },
      { callbacks: [] },
      { callbacks: { log: [{ id: 'evt_1' }] } },
    ]) {
      expect(await control(mock, 'PUT /state', { ...whole, ...damage })).toMatchObject({
        status: 400,
        body: { error: { message: expect.stringContaining('not a snapshot') } },
      })
      expect([mock.invites.length, mock.callbacks.list()]).toEqual([1, []])
    }
  })

  test('the candidate acts, and what it may not do is 409 with the code of the rule', async () => {
    const mock = createMockServer()
    const { inviteId } = await invite(mock)
    expect((await control(mock, `POST /invites/${inviteId}/fail`)).body).toMatchObject({
      status: 'FAILED',
      offer: 'retake',
    })
    expect(await control(mock, `POST /invites/${inviteId}/start`)).toMatchObject({
      status: 409,
      body: { error: { code: 'LINK_USED' } },
    })
    expect(await control(mock, `POST /invites/${inviteId}/claim`, { kind: 'retake' })).toMatchObject({ status: 201 })
    expect(await control(mock, `POST /invites/${inviteId}/claim`, { kind: 'retake' })).toMatchObject({
      status: 409,
      body: { error: { code: 'NO_OFFER' } },
    })
  })

  test('the outbox is waited on: the e-mail comes when the invite does', async () => {
    const mock = createMockServer()
    const coming = control(mock, 'GET /outbox/wait?to=INES.duarte@candidate.test&timeoutMs=5000')
    await ask(mock, CREATE, { input: { quizId: QUIZ, candidate: INES } })
    expect(await coming).toMatchObject({ status: 200, body: { to: INES.email } })
  })

  test('when no e-mail comes in time, the answer is 504 and says for how long it was waited', async () => {
    const mock = createMockServer()
    expect(await control(mock, 'GET /outbox/wait?to=nobody@example.com&timeoutMs=0')).toMatchObject({
      status: 504,
      body: { error: { code: 'NO_MAIL', message: expect.stringContaining('0 ms') } },
    })
  })

  test('`after` asks for a later e-mail than one that is known', async () => {
    const mock = createMockServer()
    const first = await invite(mock)
    const none = await control(mock, `GET /outbox/wait?after=${first.inviteId}&timeoutMs=0`)
    const second = await invite(mock)
    const later = await control(mock, `GET /outbox/wait?after=${first.inviteId}&timeoutMs=0`)
    expect([none.status, later.body]).toEqual([504, expect.objectContaining({ inviteId: second.inviteId })])
  })

  test('a fault is added, counted and removed; an invalid one is refused with a message', async () => {
    const mock = createMockServer()
    expect(await control(mock, 'POST /faults', { fault: 503, times: null })).toMatchObject({
      status: 201,
      body: { id: 'fault_1', hits: 0 },
    })
    await ask(mock, CREATE, {})
    expect((await control(mock, 'GET /faults')).body).toMatchObject({ faults: [{ hits: 1, left: null }] })
    expect((await control(mock, 'DELETE /faults/fault_1')).status).toBe(204)
    expect((await control(mock, 'DELETE /faults/fault_1')).status).toBe(404)
    expect(await control(mock, 'POST /faults', { fault: 'flood' })).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining('no fault') } },
    })
  })

  test.each([
    ['GET /nothing', undefined, 404],
    ['POST /clock/advance', {}, 400],
    ['POST /clock/advance', { by: 'soon' }, 400],
    ['POST /clock/advance', { by: '999999999999d' }, 400],
    ['PUT /clock', {}, 400],
    ['PUT /clock', { frozen: false, now: '2040-01-01' }, 400],
    ['PUT /clock', { frozen: true, now: 'never' }, 400],
    ['POST /invites/inv_nobody/pass', {}, 404],
    ['POST /callbacks/evt_nobody/redeliver', {}, 404],
    ['POST /sessions', { id: 'Not this one' }, 400],
    ['DELETE /sessions/nobody', undefined, 404],
    ['POST /quizzes/nothing/enable', {}, 404],
    ['GET /outbox/wait?timeoutMs=-1', undefined, 400],
    ['POST /faults', [], 400],
  ])('%s with %j is refused with its reason', async (way, body, status) => {
    const answered = await control(createMockServer(), way, body)
    expect(answered).toMatchObject({
      status,
      body: { error: { code: expect.any(String), message: expect.any(String) } },
    })
  })

  test('what a tester does is not in the request log, and no fault befalls it', async () => {
    const mock = createMockServer()
    mock.faults.add({ fault: 503 })
    expect((await control(mock, 'GET /health')).status).toBe(200)
    expect(mock.requestLog.list()).toEqual([])
  })

  test('a session has a control API of its own, and the mock lists it', async () => {
    const mock = createMockServer()
    const { body } = await control(mock, 'POST /sessions', { id: 'worker-7' })
    expect(body).toMatchObject({ id: 'worker-7', baseUrl: `${mock.baseUrl}/s/worker-7` })
    await control(mock, 'POST /candidates/ada@example.com/certify', { quizId: QUIZ })
    const seen = await mock.fetch(`${mock.baseUrl}/s/worker-7/__mock/candidates/ada@example.com`)
    expect(await seen.json()).toMatchObject({ certifications: [] })
    expect(mock.sessions.map(({ id }) => id)).toEqual(['worker-7'])
    expect(() => mock.openSession({ id: 'worker-7' })).toThrow('already')
  })
})

describe('changes are reported', () => {
  test('to whoever subscribed, once for many, and to nobody afterwards', async () => {
    const mock = createMockServer()
    const told: string[][] = []
    const unsubscribe = mock.subscribe((parts) => told.push([...parts].toSorted()))
    await invite(mock)
    mock.faults.add({ fault: 503 })
    await mock.settle()
    unsubscribe()
    mock.reset()
    await mock.settle()
    expect(told.flat()).toEqual(expect.arrayContaining(['faults', 'requestLog', 'world']))
    expect(told.flat().filter((part) => part === 'faults')).toHaveLength(1)
  })

  test('as server-sent events, until the visitor goes', async () => {
    const { mock, listener } = await listening()
    const visitor = new AbortController()
    const response = await fetch(`${listener.url}/__mock/events`, { signal: visitor.signal })
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    expect((await reader?.read())?.value).toContain('retry')
    await mock.clock.advance('1h')
    expect((await reader?.read())?.value).toBe('event: change\ndata: {"parts":["clock"]}\n\n')
    visitor.abort()
    await mock.close()
  })

  test('the waiting ends with the mock', async () => {
    const mock = createMockServer()
    const coming = mock.waitForMail()
    await mock.close()
    await expect(coming).rejects.toThrow('the mock was closed')
  })
})

describe('guards stop', () => {
  /** What a stranger could try, and that nothing came of it. */
  async function attempt(headers: Record<string, string>, options?: MockListenOptions): Promise<Told> {
    const { mock, listener } = await listening(options)
    await invite(mock)
    const told = await tell(`${listener.url}/__mock/reset`, 'POST', { ...JSON_TYPE, ...headers }, '{}')
    expect(mock.invites).toHaveLength(told.status === 200 ? 0 : 1)
    return told
  }

  test.each([
    'evil.example',
    'evil.example/x.localhost',
    'key@x.localhost',
    'evil.example:80',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
  ])('a host named %j is refused, as after DNS rebinding', async (host) => {
    expect(await attempt({ host })).toMatchObject({ status: 403, text: expect.stringContaining('HOST_NOT_ALLOWED') })
  })

  test.each(['localhost:4010', '127.0.0.1', '[::1]:1', 'app.localhost', 'LOCALHOST'])(
    '%j is this machine',
    async (host) => {
      expect((await attempt({ host })).status).toBe(200)
    },
  )

  test('a name that was allowed is let in, whatever its port and case', async () => {
    expect((await attempt({ host: 'Mock:8080' }, { allowHosts: ['mock'] })).status).toBe(200)
  })

  test.each(['https://evil.example', 'null', 'http://localhost:1', 'http://127.0.0.1:9'])(
    'an origin %j is refused, to read as well',
    async (origin) => {
      expect(await attempt({ origin })).toMatchObject({ status: 403, text: expect.stringContaining('FOREIGN_ORIGIN') })
      const { listener } = await listening()
      expect((await tell(`${listener.url}/__mock/state`, 'GET', { origin })).status).toBe(403)
    },
  )

  test.each(['empty', 'image', 'iframe'])(
    'another page opens no event stream by a GET without an origin, with the destination %s',
    async (dest) => {
      const { listener } = await listening()
      for (const site of ['cross-site', 'same-site']) {
        const headers = { 'sec-fetch-site': site, 'sec-fetch-dest': dest, 'sec-fetch-mode': 'navigate' }
        const { status, text } = await tell(`${listener.url}/__mock/events`, 'GET', headers)
        expect([status, JSON.parse(text)]).toMatchObject([403, { error: { code: 'FOREIGN_ORIGIN' } }])
      }
    },
  )

  test.each([
    ['the page itself', { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'empty' }],
    ['a person who types the address', { 'sec-fetch-site': 'none', 'sec-fetch-dest': 'document' }],
    ['a person who follows a link', { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document' }],
  ])('%s is let in', async (_who, headers) => {
    const { listener } = await listening()
    for (const path of ['/', '/__mock/health'])
      expect((await tell(listener.url + path, 'GET', headers)).status).toBe(200)
  })

  test('its own origin is let in', async () => {
    const { listener } = await listening()
    const headers = { ...JSON_TYPE, origin: listener.url }
    expect((await tell(`${listener.url}/__mock/reset`, 'POST', headers, '{}')).status).toBe(200)
  })

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    '',
  ])('a write of type %j is refused: pages may send it to anybody', async (type) => {
    expect((await attempt({ 'content-type': type })).status).toBe(415)
  })

  test.each([
    ['a page of another origin', { origin: 'https://evil.example', ...JSON_TYPE }, 403],
    ['an unknown host', { host: 'evil.example', ...JSON_TYPE }, 403],
    ['a sender without the token', { authorization: 'Bearer wrong', ...JSON_TYPE }, 401],
    ['what pages may send to anybody', { authorization: 'Bearer opensesame', 'content-type': 'text/plain' }, 415],
  ])('%s is refused before the body is read', async (_who, headers, status) => {
    const { listener } = await listening({ controlToken: 'opensesame' })
    const length = String(64 * 1024 * 1024)
    const sent = request(`${listener.url}/__mock/state`, {
      method: 'PUT',
      headers: { ...headers, 'content-length': length },
    })
    // The body never comes.
    sent.flushHeaders()
    const [response] = await once(sent, 'response')
    expect(response).toMatchObject({ statusCode: status })
    sent.on('error', () => {}).destroy()
  })

  test('no answer lets another origin read it, and a preflight is no way in', async () => {
    const { listener } = await listening()
    const preflight = { origin: 'https://evil.example', 'access-control-request-method': 'DELETE' }
    const [asked, read] = [
      await tell(`${listener.url}/__mock/faults`, 'OPTIONS', preflight),
      await tell(`${listener.url}/__mock/state`, 'GET'),
    ]
    expect(asked.status).toBe(403)
    for (const { headers } of [asked, read]) {
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
      expect(headers['x-content-type-options']).toBe('nosniff')
    }
  })

  test.each([
    [{}, 401],
    [{ authorization: 'Bearer wrong' }, 401],
    [{ authorization: 'Basic !' }, 401],
    [{ authorization: `Basic ${btoa('any:wrong')}` }, 401],
    [{ authorization: 'Bearer opensesame' }, 200],
    [{ authorization: `Basic ${btoa('any:opensesame')}` }, 200],
  ])('with a token, %j is answered with %i', async (headers, status) => {
    const told = await attempt(headers, { controlToken: 'opensesame' })
    expect(told.status).toBe(status)
    expect(String(told.headers['www-authenticate']).startsWith('Basic')).toBe(status === 401)
  })

  test('with control: false there is neither page nor control API, and the service goes on', async () => {
    const { mock, listener } = await listening({ control: false })
    const { challengeUrl } = await invite(mock)
    const link = challengeUrl.replace(mock.baseUrl, listener.url)
    expect((await attempt({}, { control: false })).status).toBe(404)
    expect((await tell(listener.url, 'GET')).status).toBe(404)
    const seen = await tell(link, 'GET', { accept: 'text/html' })
    expect([seen.status, seen.headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8'])
    expect((await tell(`${link}/pass`, 'POST')).status).toBe(404)
    expect(mock.invites).toMatchObject([{ status: 'PENDING' }])
  })

  test('the endpoint and a look at a challenge link are for any host: containers have names of their own', async () => {
    const { mock, listener } = await listening({ controlToken: 'opensesame' })
    const { challengeUrl } = await invite(mock)
    const headers = { host: 'mock:4010', ...JSON_TYPE, 'x-api-key': mock.apiKey }
    const asked = await tell(listener.endpoint, 'POST', headers, '{"query":"{ __typename }"}')
    const seen = await tell(challengeUrl.replace(mock.baseUrl, listener.url), 'GET', {
      host: 'mock:4010',
      accept: 'text/html',
    })
    const style = await tell(`${listener.url}/__mock/page.css`, 'GET', { host: 'mock:4010' })
    expect([asked.status, seen.status, style.status]).toEqual([200, 200, 200])
  })

  test.each(['/challenge/..', '/challenge/%2e%2e', String.raw`/challenge/..\__mock\state`])(
    'a target %j, which leads away from the links, is guarded as what it leads to',
    async (target) => {
      const { listener } = await listening({ controlToken: 'opensesame' })
      const headers = { accept: 'text/html' }
      expect((await tellAt(listener.port, target, headers)).status).toBe(401)
      const { listener: open } = await listening()
      expect((await tellAt(open.port, target, { ...headers, host: 'evil.example' })).status).toBe(403)
      expect((await tellAt(open.port, target, headers)).status).toBe(200)
    },
  )

  test.each([{ control: false }, { controlToken: 'opensesame' }])(
    'which world it is, a ledger is told with %j too',
    async (options) => {
      const { mock, listener } = await listening(options)
      const told = await fetch(`${listener.url}/__mock/world`)
      expect(await told.json()).toEqual({ worldId: mock.worldId })
    },
  )

  test('a candidate’s button obeys the same guards', async () => {
    const { mock, listener } = await listening()
    const { challengeUrl } = await invite(mock)
    const act = `${challengeUrl.replace(mock.baseUrl, listener.url)}/pass`
    const statuses = [
      await tell(act, 'POST', { host: 'evil.example' }),
      await tell(act, 'POST', { origin: 'https://evil.example' }),
      await tell(act, 'POST', { origin: 'null' }),
    ].map(({ status }) => status)
    expect([statuses, mock.invites[0]?.status]).toEqual([[403, 403, 403], 'PENDING'])
    expect((await tell(act, 'POST', { origin: listener.url })).status).toBe(303)
    expect(mock.invites[0]?.status).toBe('PASSED')
  })

  test('a WebSocket is not opened', async () => {
    const { listener } = await listening()
    const upgrade = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
      origin: 'https://evil.example',
    }
    expect((await tell(`${listener.url}/__mock/events`, 'GET', upgrade)).status).toBe(403)
  })
})
