import { expect, test } from 'vitest'
import type { MockServer } from '../../mock-server/contract/mock-server.ts'
import { VIEWS } from '../../mock-server/contract/paths.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { ask, askAs, CREATE, INES, invite, QUIZ } from './calls.ts'
import { realServer } from './receiver.ts'

const HTML = { headers: { accept: 'text/html,*/*;q=0.8' } }
const PATHS = VIEWS.map(({ path }) => path)

async function pageOf(mock: MockServer, path: string): Promise<string> {
  const response = await mock.fetch(mock.baseUrl + path, HTML)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=UTF-8'])
  return response.text()
}

test.each(PATHS)('%s works in process too, has the banner, and leaves nothing in the request log', async (path) => {
  const mock = createMockServer()
  expect(await pageOf(mock, path)).toContain('Nothing here is real')
  expect(mock.requestLog.list()).toEqual([])
})

test.each([...PATHS, '/__mock/kit/assets/page.js', '/__mock/kit/assets/page.css', '/__mock/state', '/__mock/nothing'])(
  '%s loads nothing from other origins, and cannot be framed',
  async (path) => {
    const mock = createMockServer()
    const { headers } = await mock.fetch(mock.baseUrl + path)
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    )
    expect([headers.get('x-content-type-options'), headers.get('cache-control')]).toEqual(['nosniff', 'no-store'])
  },
)

test('every address on a page starts with the path of the mock, in a session too', async () => {
  const mock = createMockServer({ baseUrl: 'https://api.example.test/tenant-7' })
  const session = mock.openSession({ id: 'worker-1' })
  await invite(session)
  for (const path of PATHS) {
    const page = await pageOf(session, path)
    const addresses = [...page.matchAll(/ (?:href|action|src)="(\/[^"]*)"/g)].map(([, address]) => address)
    expect(addresses.length).toBeGreaterThan(5)
    // Only the link back to the main world leaves the session.
    expect(addresses.filter((address) => !address?.startsWith('/tenant-7/s/worker-1/'))).toEqual(['/tenant-7/connect'])
  }
})

test('a callback to a disallowed host says so, and is sent once the host is allowed', async () => {
  const app = await realServer()
  const mock = createMockServer()
  await ask(mock, CREATE, { input: { quizId: QUIZ, candidate: INES, callbackUrl: 'https://app.example/hook' } })
  mock.open(mock.invites[0]?.inviteId ?? '').pass()
  await mock.settle()
  const page = await pageOf(mock, '/callbacks')
  expect(page).toMatch(/1 callback to app\.example was not sent:\s+the host is not allowed\./)
  expect(page).not.toMatch(/no response|1 attempt</)
  const patch = (body: object) =>
    mock.fetch(`${mock.baseUrl}/__mock/callbacks/targets`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  expect((await patch({ deliverTo: 'localhost:3000' })).status).toBe(400)
  expect(await (await patch({ deliverTo: app.origin })).json()).toMatchObject({ hosts: {}, allow: [] })
  await mock.settle()
  expect([app.paths, mock.callbacks.list()[0]?.status]).toEqual([['/hook'], 'delivered'])
  expect(await pageOf(mock, '/connect')).toContain(`value="${app.origin}"`)
})

test('a test event is a callback like any other, of a new candidate without an e-mail, and Connect shows it', async () => {
  const mock = createMockServer()
  const send = async (callbackUrl: string) => {
    const response = await mock.fetch(`${mock.baseUrl}/__mock/callbacks/test`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ callbackUrl }),
    })
    return { code: response.status, ...((await response.json()) as object) }
  }
  const [kept, blocked] = [await send('https://sandbox.callback/hook'), await send('https://app.example/hook')]
  expect(kept).toMatchObject({ code: 201, status: 'delivered', attempts: [{ status: 200 }] })
  expect(blocked).toMatchObject({ code: 201, status: 'blocked', url: 'https://app.example/hook' })
  expect(await pageOf(mock, '/connect')).toMatch(/1 callback to app\.example was not sent:\s+the host is not allowed\./)
  expect(await send('http://app.example/hook')).toMatchObject({ code: 409, error: { code: 'BAD_USER_INPUT' } })
  for (const { id } of mock.quizzes) mock.disableQuiz(id)
  expect(await send('https://app.example/hook')).toMatchObject({ code: 409, error: { code: 'NO_QUIZ' } })
  expect(mock.invites.map(({ candidate, status }) => `${candidate.email} ${status}`)).toEqual([
    'test-event-1@example.com PASSED',
    'test-event-2@example.com PASSED',
  ])
  expect(mock.outbox).toEqual([])
})

test('candidate data is escaped everywhere', async () => {
  const mock = createMockServer()
  const hostile = `"><script>alert('&')</script>`
  const input = { quizId: QUIZ, candidate: { name: hostile, email: INES.email }, externalReference: hostile }
  await ask(mock, CREATE, { input })
  for (const path of [
    ...PATHS,
    `/invites?q=${encodeURIComponent(hostile)}`,
    `/outbox?to=${encodeURIComponent(hostile)}`,
  ]) {
    expect(await pageOf(mock, path)).not.toContain('<script>')
  }
  expect(await pageOf(mock, '/invites')).toContain('&lt;script&gt;alert(&#39;&amp;&#39;)')
})

test('a refusal stands out among the requests, with its code, whatever form the response has', async () => {
  const mock = createMockServer()
  await invite(mock)
  expect(await pageOf(mock, '/requests')).not.toContain('badge failed')
  await ask(mock, CREATE, { input: { quizId: 'quiz_nothing', candidate: INES } })
  expect(await pageOf(mock, '/requests')).toContain('<span class="badge failed">BAD_USER_INPUT</span>')
  const bare = createMockServer({ behaviour: { errorCodePlace: 'none', unauthenticatedResponse: 'html-401' } })
  await ask(bare, CREATE, { input: { quizId: 'quiz_nothing', candidate: INES } })
  await askAs(bare, {}, CREATE, { input: { quizId: QUIZ, candidate: INES } })
  const page = await pageOf(bare, '/requests')
  for (const code of ['BAD_USER_INPUT', 'UNAUTHENTICATED']) expect(page).toContain(`<span class="badge failed">${code}`)
})

test('the menu is in the order of first use, hides nothing without a control, and says where one is', async () => {
  const [, menu = '', more = ''] =
    /<nav class="views"[^>]*>([\s\S]*?)<details[\s\S]*?<summary class="current">More<\/summary>([\s\S]*?)<\/nav>/.exec(
      await pageOf(createMockServer(), '/candidates'),
    ) ?? []
  const names = (html: string) => [...html.matchAll(/>([A-Z][a-z]+)<\/a>/g)].map(([, name]) => name)
  expect(names(menu)).toEqual(['Overview', 'Requests', 'Outbox', 'Invites', 'Callbacks', 'Faults', 'Connect'])
  expect(names(more)).toEqual(['Catalogue', 'Candidates', 'Behaviour'])
})

test('an empty world begins with Connect, whose samples have a reference', async () => {
  const page = await pageOf(createMockServer(), '/')
  const places = ['id="connect"', 'id="activity"', 'id="new-invite"'].map((id) => page.indexOf(id))
  expect(places.every((place, index) => place > (places[index - 1] ?? 0))).toBe(true)
  const samples = [...page.matchAll(/<pre [^>]*>([\s\S]*?)<\/pre>/g)].map(([, text]) => text)
  expect(samples).toHaveLength(3)
  for (const sample of samples) expect(sample).toMatch(/reference.{0,16}hire-4711/i)
})

test('an empty page says where to begin, and how callbacks reach an application', async () => {
  const mock = createMockServer()
  expect(await pageOf(mock, '/outbox')).toMatch(/Create an invite with the form <a href="\/invites">New invite<\/a>/)
  expect(await pageOf(mock, '/callbacks')).toContain('<a href="/connect#targets">')
})

test('the overview counts, and lists what happened, newest first', async () => {
  const mock = createMockServer({ now: '2030-03-01T09:30:00Z', world: { candidates: [] } })
  expect(await pageOf(mock, '/')).toContain('id="invite-form"')
  await invite(mock, { callbackUrl: 'https://sandbox.callback/hook' })
  await mock.clock.advance('1m')
  mock.open(mock.invites[0]?.inviteId ?? '').pass()
  await mock.settle()
  await mock.clock.advance('1m')
  await ask(mock, '{')
  const page = await pageOf(mock, '/')
  expect(page.match(/(?<=<a class="tile" href=")[^"]*"><b>\d+<\/b> [^<]*/g)).toEqual([
    '/invites"><b>1</b> invite: 1 passed',
    '/requests?status=failed"><b>1</b> failed request',
    '/callbacks"><b>0</b> undelivered callbacks',
    '/faults"><b>0</b> active faults',
  ])
  expect(entriesIn(page)).toEqual(['Request 2', 'Request 1: E-mail, Attempt started, passed, completed'])
})

/** The entries of the activity, each with its consequences. */
function entriesIn(page: string): string[] {
  return page
    .split('<li id="activity-')
    .slice(1)
    .map((entry) => {
      const effects = [
        ...entry.matchAll(/(?:E-mail|Attempt started|(?<=badge (?:passed|failed)">)\w+ed(?=<)|completed(?=<))/g),
      ]
      const shown = /<ul class="effects">/.test(entry) ? effects.map(([text]) => text) : []
      return [/Request \d+|Invite of|Attempt of/.exec(entry)?.[0], shown.join(', ')].filter(Boolean).join(': ')
    })
}

test('the activity has one entry per request with its consequences in order, though the clock stands still', async () => {
  const mock = createMockServer({ now: '2030-03-01T09:30:00Z', world: { candidates: [] } })
  await mock.clock.freeze()
  await ask(mock, CREATE, { input: { quizId: QUIZ, candidate: { email: 'a@example.com' } } })
  await ask(mock, CREATE, { input: { quizId: QUIZ, candidate: { email: 'b@example.com' }, callbackUrl: HOOK } })
  mock.open(mock.invites[1]?.inviteId ?? '').fail()
  mock.open(mock.invites[1]?.inviteId ?? '').claim('retake')
  await mock.settle()
  await ask(mock, CREATE, { input: { quizId: 'quiz_nothing', candidate: { email: 'a@example.com' } } })
  mock.requestLog.clear()
  await ask(mock, CREATE, { input: { quizId: 'quiz_nothing', candidate: { email: 'a@example.com' } } })
  const page = await pageOf(mock, '/')
  expect(entriesIn(page).toSorted()).toEqual([
    'Invite of: E-mail',
    'Invite of: E-mail, Attempt started, failed, completed',
    'Request 4',
  ])
  expect(page).toMatch(/retake <a href=/)
})

const HOOK = 'https://sandbox.callback/hook'

test('chips keep their places, and count what the search finds', async () => {
  const mock = createMockServer()
  for (const email of ['ada@example.com', 'ben@example.com', 'ada.two@example.com']) {
    await ask(mock, CREATE, { input: { quizId: QUIZ, candidate: { email } } })
  }
  const chips = async (path: string) =>
    [...(await pageOf(mock, path)).matchAll(/>([\w ]+) <b>(\d+)<\/b><\/a>/g)].map(
      ([, name, number]) => `${name} ${number}`,
    )
  const before = await chips('/invites')
  mock.open(mock.invites[1]?.inviteId ?? '').pass()
  await mock.clock.advance('15d')
  const after = await chips('/invites')
  const names = ['all', 'pending', 'in progress', 'passed', 'failed', 'abandoned', 'expired']
  for (const each of [before, after]) expect(each.map((chip) => chip.replace(/ \d+$/, ''))).toEqual(names)
  expect(await chips('/invites?q=ada')).toEqual(['all 2', ...names.slice(1, 6).map((name) => `${name} 0`), 'expired 2'])
  expect((await chips('/requests?q=ben')).slice(0, 3)).toEqual(['all 1', 'failed 0', 'refused 0'])
})

test('“Redeliver” sends again what was given up or not sent, of what the list shows', async () => {
  const app = await realServer()
  const mock = createMockServer()
  for (const [name, host] of [
    ['a', 'one.example'],
    ['b', 'two.example'],
    ['c', 'sandbox.callback'],
  ]) {
    const candidate = { email: `${name}@example.com` }
    await ask(mock, CREATE, { input: { quizId: QUIZ, candidate, callbackUrl: `https://${host}/hook` } })
    mock.open(mock.invites.at(-1)?.inviteId ?? '').pass()
  }
  await mock.settle()
  expect(await pageOf(mock, '/callbacks')).toContain('>Redeliver 2</button>')
  expect(await pageOf(mock, '/callbacks?q=one.example')).toContain('>Redeliver 1</button>')
  expect(await pageOf(mock, '/callbacks?status=delivered')).not.toMatch(/>Redeliver \d/)
  mock.callbacks.deliverTo(app.origin)
  const redeliver = (body: object) =>
    mock.fetch(`${mock.baseUrl}/__mock/callbacks/redeliver`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  expect(await (await redeliver({ search: 'one.example' })).json()).toEqual({ redelivered: 1 })
  await mock.settle()
  expect(mock.callbacks.list().map(({ status }) => status)).toEqual(['delivered', 'blocked', 'delivered'])
})

test('candidates are searched and paged, and requests are filtered by result, fault and key', async () => {
  const candidates = Array.from({ length: 32 }, (_, index) => ({
    email: `c${index}@example.com`,
    certifications: [{ quizId: QUIZ }],
  }))
  const mock = createMockServer({ world: { candidates } })
  const rowsOn = async (path: string) => (await pageOf(mock, path)).match(/<td class="who">/g)?.length ?? 0
  expect([await rowsOn('/candidates'), await rowsOn('/candidates?page=2'), await rowsOn('/candidates?q=c31@')]).toEqual(
    [25, 7, 1],
  )
  mock.faults.add({ fault: 503 })
  await invite(mock).catch(() => {})
  await invite(mock)
  await askAs(mock, {}, CREATE, { input: { quizId: QUIZ, candidate: INES } })
  const page = await pageOf(mock, '/requests')
  for (const chip of ['all <b>3', 'failed <b>2', 'fault <b>1', 'key full <b>2', 'no key <b>1'])
    expect(page).toContain(chip)
  const failed = await pageOf(mock, '/requests?status=failed')
  expect(failed.match(/<li id="entry-\d+/g)).toEqual(['<li id="entry-3', '<li id="entry-1'])
})

test('a long list is paged, and searched in full', async () => {
  const mock = createMockServer()
  for (let count = 1; count <= 60; count += 1) {
    await ask(mock, CREATE, { input: { quizId: QUIZ, candidate: { email: `c${count}@example.com` } } })
  }
  const rows = async (path: string) => (await pageOf(mock, path)).match(/<tr id=/g)?.length ?? 0
  expect(await Promise.all(['/invites', '/invites?page=3', '/invites?page=99', '/invites?page=x'].map(rows))).toEqual([
    25, 10, 10, 25,
  ])
  expect(await rows('/invites?q=c42@')).toBe(1)
  expect(await rows('/outbox?to=c4')).toBe(11)
  expect(await rows('/invites?status=PASSED')).toBe(0)
  expect(await pageOf(mock, '/invites')).toContain('pending <b>60</b>')
})
