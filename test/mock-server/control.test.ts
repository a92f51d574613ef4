import { once } from 'node:events'
import { request } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { MockListener, MockServer } from '../../mock-server/contract/mock-server.ts'
import type { MockListenOptions } from '../../mock-server/generated/contract.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { INES, invite } from './calls.ts'

async function listening(options?: MockListenOptions): Promise<{ mock: MockServer; listener: MockListener }> {
  const mock = createMockServer()
  onTestFinished(() => mock.close())
  return { mock, listener: await mock.listen(options) }
}

interface Told {
  readonly status: number
  readonly headers: NodeJS.Dict<string | string[]>
  readonly text: string
}

/** Sends any Host and Origin: fetch would choose its own. */
function tell(url: string, method: string, headers: Record<string, string> = {}, body = ''): Promise<Told> {
  const { port, pathname, search } = new URL(url)
  return tellAt(Number(port), pathname + search, headers, method, body)
}

/** Requests exactly this target: a URL would normalize it. */
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

test('a search of the control API is a case-insensitive, literal substring match', async () => {
  const mock = createMockServer()
  await invite(mock, { candidate: { ...INES, name: 'Οδυσσέας (Ithaca)' } })
  const found = async (text: string) => {
    const response = await mock.fetch(`${mock.baseUrl}/__mock/invites?search=${encodeURIComponent(text)}`)
    return ((await response.json()) as { total: number }).total
  }
  expect(await Promise.all(['ΟΔΥΣ', ' (ithaca) ', 'ΟΔΥΣΣΕΥΣ', ''].map(found))).toEqual([1, 1, 0, 1])
})

test('JSON of the control API ends with a newline, so that the lines of several curls stay apart', async () => {
  const { url } = (await listening()).listener
  const texts = [
    await tell(`${url}/__mock/invites`, 'GET'),
    await tell(`${url}/__mock/openapi.json`, 'GET'),
    await tell(`${url}/__mock/nothing`, 'GET'),
    await tell(`${url}/__mock/invites`, 'POST'),
    await tell(`${url}/__mock/invites`, 'GET', { host: 'rebound.example' }),
  ].map(({ status, text }) => [status, text.endsWith('}\n')])
  expect(texts).toEqual([200, 200, 404, 415, 403].map((status) => [status, true]))
})

describe('changes are reported', () => {
  test('to subscribers, once per batch, and not after they unsubscribe', async () => {
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

  test('as server-sent events, until the client disconnects', async () => {
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

  test('as server-sent events of a session until it is closed, while those of other worlds go on', async () => {
    const { mock, listener } = await listening()
    const session = mock.openSession({ id: 'worker-1' })
    const ofSession = await fetch(`${listener.url}/s/worker-1/__mock/events`)
    const ofMain = await fetch(`${listener.url}/__mock/events`)
    const whole = ofSession.text()
    await session.close()
    expect(await whole).toContain('retry: 1000')
    const reader = ofMain.body?.getReader()
    let text = ''
    while (!text.includes('sessions')) text += new TextDecoder().decode((await reader?.read())?.value)
    expect(text).toContain('"sessions"')
  })
})

describe('guards against other sites', () => {
  /** What an attacker could try, and a check that it had no effect. */
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
  ])('a host named %j is refused, as in DNS rebinding', async (host) => {
    expect(await attempt({ host })).toMatchObject({ status: 403, text: expect.stringContaining('HOST_NOT_ALLOWED') })
  })

  test.each(['localhost:4010', '127.0.0.1', '[::1]:1', 'app.localhost', 'LOCALHOST'])('%j is local', async (host) => {
    expect((await attempt({ host })).status).toBe(200)
  })

  test('a name in allowHosts is accepted, whatever its port and case', async () => {
    expect((await attempt({ host: 'Mock:8080' }, { allowHosts: ['mock'] })).status).toBe(200)
  })

  test.each(['https://evil.example', 'null', 'http://localhost:1', 'http://127.0.0.1:9'])(
    'the origin %j is refused, for reads too',
    async (origin) => {
      expect(await attempt({ origin })).toMatchObject({ status: 403, text: expect.stringContaining('FOREIGN_ORIGIN') })
      const { listener } = await listening()
      expect((await tell(`${listener.url}/__mock/state`, 'GET', { origin })).status).toBe(403)
    },
  )

  test.each([
    ['the page itself', { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'empty' }],
    ['a person who types the address', { 'sec-fetch-site': 'none', 'sec-fetch-dest': 'document' }],
    ['a person who follows a link', { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document' }],
  ])('%s is accepted', async (_who, headers) => {
    const { listener } = await listening()
    for (const path of ['/', '/__mock/health'])
      expect((await tell(listener.url + path, 'GET', headers)).status).toBe(200)
  })

  test.each(['script', 'iframe'])('a %s of another site is refused, even though it sends no origin', async (dest) => {
    const { listener } = await listening()
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': dest }
    for (const path of ['/', '/__mock/state'])
      expect((await tell(listener.url + path, 'GET', headers)).status).toBe(403)
  })

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    '',
  ])('a write of type %j is refused: any page may send it without a preflight', async (type) => {
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
    // The body is never sent.
    sent.flushHeaders()
    const [response] = await once(sent, 'response')
    expect(response).toMatchObject({ statusCode: status })
    sent.on('error', () => {}).destroy()
  })

  test('no response is readable from another origin, and preflights are refused', async () => {
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
  ])('with a token, %j gets %i', async (headers, status) => {
    const told = await attempt(headers, { controlToken: 'opensesame' })
    expect(told.status).toBe(status)
    expect(String(told.headers['www-authenticate']).startsWith('Basic')).toBe(status === 401)
  })

  test('with control: false there is neither page nor control API, and the service works', async () => {
    const { mock, listener } = await listening({ control: false })
    const { challengeUrl } = await invite(mock)
    const link = challengeUrl.replace(mock.baseUrl, listener.url)
    expect((await attempt({}, { control: false })).status).toBe(404)
    expect((await tell(`${listener.url}/__mock/world`, 'PUT', JSON_TYPE, '{}')).status).toBe(404)
    const page = await tell(listener.url, 'GET', { accept: 'text/html' })
    expect([page.status, page.headers['content-type']]).toEqual([404, 'application/json; charset=utf-8'])
    const seen = await tell(link, 'GET', { accept: 'text/html' })
    expect([seen.status, seen.headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8'])
    expect((await tell(`${link}/pass`, 'POST')).status).toBe(404)
    expect(mock.invites).toMatchObject([{ status: 'PENDING' }])
  })

  test('the endpoint and challenge links answer to any host: containers have their own names', async () => {
    const { mock, listener } = await listening({ controlToken: 'opensesame' })
    const { challengeUrl } = await invite(mock)
    const headers = { host: 'mock:4010', ...JSON_TYPE, 'x-api-key': mock.apiKey }
    const asked = await tell(listener.endpoint, 'POST', headers, '{"query":"{ __typename }"}')
    const seen = await tell(challengeUrl.replace(mock.baseUrl, listener.url), 'GET', {
      host: 'mock:4010',
      accept: 'text/html',
    })
    const style = await tell(`${listener.url}/__mock/kit/assets/page.css`, 'GET', { host: 'mock:4010' })
    expect([asked.status, seen.status, style.status]).toEqual([200, 200, 200])
  })

  test.each(['/challenge/..', '/challenge/%2e%2e', String.raw`/challenge/..\__mock\state`])(
    'the target %j, which leaves the challenge links, is guarded like its destination',
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
    'a ledger can ask which world this is, even with %j',
    async (options) => {
      const { mock, listener } = await listening(options)
      const told = await fetch(`${listener.url}/__mock/world`)
      expect(await told.json()).toEqual({ worldId: mock.worldId })
    },
  )
})
