import { execFileSync } from 'node:child_process'
import { afterEach, expect, test } from 'vitest'
import type { MockServer } from '../../mock-server/contract/mock-server.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { ask, CREATE, INES, invite, QUIZ } from './calls.ts'

const HTML = { headers: { accept: 'text/html,*/*;q=0.8' } }
const VIEWS = ['/', '/outbox', '/invites', '/callbacks', '/faults', '/requests', '/console', '/connect']

const opened: MockServer[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((mock) => mock.close()))
})

async function pageOf(mock: MockServer, path: string): Promise<string> {
  const response = await mock.fetch(mock.baseUrl + path, HTML)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=UTF-8'])
  return response.text()
}

test.each(VIEWS)(
  '%s is a page in process as well, with its banner, and leaves nothing in the request log',
  async (path) => {
    const mock = createMockServer()
    expect(await pageOf(mock, path)).toContain('Nothing here is real')
    expect(mock.requestLog.list()).toEqual([])
  },
)

test.each([...VIEWS, '/__mock/page.js', '/__mock/page.css', '/__mock/state', '/__mock/nothing'])(
  '%s loads nothing from elsewhere, and no other page may show it',
  async (path) => {
    const mock = createMockServer()
    const { headers } = await mock.fetch(mock.baseUrl + path)
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    )
    expect([headers.get('x-content-type-options'), headers.get('cache-control')]).toEqual(['nosniff', 'no-store'])
  },
)

test('every address on a page has the path of the mock before it, in a session too', async () => {
  const mock = createMockServer({ baseUrl: 'https://api.example.test/tenant-7' })
  const session = mock.openSession({ id: 'worker-1' })
  await invite(session)
  for (const path of VIEWS) {
    const page = await pageOf(session, path)
    const addresses = [...page.matchAll(/ (?:href|action|src)="(\/[^"]*)"/g)].map(([, address]) => address)
    expect(addresses.length).toBeGreaterThan(5)
    // The way back to the main world is the one that leaves the session.
    expect(addresses.filter((address) => !address?.startsWith('/tenant-7/s/worker-1/'))).toEqual(['/tenant-7/connect'])
  }
})

test('the challenge is a page for a browser, and plain text for a program', async () => {
  const mock = createMockServer()
  const { challengeUrl } = await invite(mock)
  const [page, text] = [await mock.fetch(challengeUrl, HTML), await mock.fetch(challengeUrl)]
  expect([page.headers.get('content-type'), text.headers.get('content-type')]).toEqual([
    'text/html; charset=UTF-8',
    'text/plain; charset=utf-8',
  ])
  mock.open(challengeUrl).pass()
  expect((await mock.fetch(challengeUrl, HTML)).status).toBe(410)
  expect((await mock.fetch(`${mock.baseUrl}/challenge/nothing`, HTML)).status).toBe(404)
})

test('an act of the candidate leads back to its page; one that is not possible says so', async () => {
  const mock = createMockServer()
  const { challengeUrl } = await invite(mock)
  const act = (name: string) => mock.fetch(`${challengeUrl}/${name}`, { method: 'POST', redirect: 'manual' })
  const failed = await act('fail')
  expect([failed.status, failed.headers.get('location')]).toEqual([303, new URL(challengeUrl).pathname])
  const claimed = await act('claim')
  expect([claimed.status, claimed.headers.get('location')]).toEqual([
    303,
    new URL(mock.invites[1]?.challengeUrl ?? '').pathname,
  ])
  const again = await act('start')
  expect([again.status, await again.text()]).toEqual([409, expect.stringContaining('This link was used')])
  expect((await mock.fetch(`${mock.baseUrl}/challenge/nothing/pass`, { method: 'POST' })).status).toBe(404)
})

test('the address of an act leads to the page of the candidate when it is looked at again, and does nothing', async () => {
  const mock = createMockServer()
  const { challengeUrl } = await invite(mock)
  const before = mock.requestLog.list()
  const looked = await mock.fetch(`${challengeUrl}/pass`, { ...HTML, redirect: 'manual' })
  expect([looked.status, looked.headers.get('location')]).toEqual([303, new URL(challengeUrl).pathname])
  expect((await mock.fetch(`${mock.baseUrl}/challenge/nothing/pass`, HTML)).status).toBe(404)
  expect([mock.requestLog.list(), mock.invites[0]?.status]).toEqual([before, 'PENDING'])
})

test('why a callback did not arrive is seen beside it', async () => {
  const mock = createMockServer()
  await ask(mock, CREATE, { input: { quizId: QUIZ, candidate: INES, callbackUrl: 'https://app.example/hook' } })
  mock.open(mock.invites[0]?.inviteId ?? '').pass()
  await mock.settle()
  const [entry = ''] = /id="callbacks".*?<details/s.exec(await pageOf(mock, '/callbacks')) ?? []
  expect(entry).toContain('app.example was not contacted')
})

test('what candidates are called is text, wherever it stands', async () => {
  const mock = createMockServer()
  const hostile = `"><script>alert('&')</script>`
  const input = { quizId: QUIZ, candidate: { name: hostile, email: INES.email }, externalReference: hostile }
  await ask(mock, CREATE, { input })
  for (const path of [
    ...VIEWS,
    `/invites?q=${encodeURIComponent(hostile)}`,
    `/outbox?to=${encodeURIComponent(hostile)}`,
  ]) {
    expect(await pageOf(mock, path)).not.toContain('<script>')
  }
  expect(await pageOf(mock, '/invites')).toContain('&lt;script&gt;alert(&#39;&amp;&#39;)')
})

test('a refusal is seen among the requests, also where its status is that of a success', async () => {
  const mock = createMockServer()
  await invite(mock)
  expect(await pageOf(mock, '/requests')).not.toContain('badge failed')
  await ask(mock, CREATE, { input: { quizId: 'quiz_nothing', candidate: INES } })
  expect(await pageOf(mock, '/requests')).toContain('<span class="badge failed">BAD_USER_INPUT</span>')
  const bare = createMockServer({ behaviour: { errorCodePlace: 'none' } })
  await ask(bare, CREATE, { input: { quizId: 'quiz_nothing', candidate: INES } })
  expect(await pageOf(bare, '/requests')).toContain('<span class="badge failed">error</span>')
})

test('an empty page says where to begin, and how a callback reaches a server', async () => {
  const mock = createMockServer()
  expect(await pageOf(mock, '/')).toMatch(/Create an invite with the form <a href="\/invites">New invite<\/a>/)
  expect(await pageOf(mock, '/callbacks')).toContain('--map-callback https://app.example=http://127.0.0.1:3000')
})

test('a command for curl is one that a shell understands, whatever is in the body', async () => {
  const mock = createMockServer()
  const { url } = await mock.listen()
  opened.push(mock)
  const name = `O'Hara $(echo no) \`no\` "quoted" \\`
  await ask(mock, CREATE, { input: { quizId: QUIZ, candidate: { name, email: INES.email } } })
  const page = await (await fetch(`${url}/requests`)).text()
  const command = /data-copy="([^"]*)"/.exec(page)?.[1] ?? ''
  const plain = command
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
  const echoed = execFileSync('sh', ['-c', plain.replace(/^curl/, "printf '%s\\n'")], { encoding: 'utf8' })
  expect(JSON.parse(echoed.trim().split('\n').at(-1) ?? '')).toMatchObject({
    variables: { input: { candidate: { name } } },
  })
})

test('a list of thousands is shown a page at a time, and searched as a whole', async () => {
  const mock = createMockServer()
  for (let count = 1; count <= 60; count += 1) {
    await ask(mock, CREATE, { input: { quizId: QUIZ, candidate: { email: `c${count}@example.com` } } })
  }
  const rows = async (path: string) => (await pageOf(mock, path)).match(/<tr>\s*<td/g)?.length ?? 0
  expect(await Promise.all(['/invites', '/invites?page=3', '/invites?page=99', '/invites?page=x'].map(rows))).toEqual([
    25, 10, 10, 25,
  ])
  expect(await rows('/invites?q=c42@')).toBe(1)
  expect(await rows('/outbox?to=c4')).toBe(11)
  expect(await rows('/invites?status=PASSED')).toBe(0)
})
