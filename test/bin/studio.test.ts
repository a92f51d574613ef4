import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import type { InviteEvent } from '../../src/callbacks/event.ts'
import { startStudio } from '../../bin/studio/server.ts'
import { createRunner, type World } from './run.ts'
import { claimed, claimOf } from '../src/ledger/contract/samples.ts'
import { openLedger, type WholeLedger } from '../src/ledger/whole.ts'

const LINK = 'https://certify.example.com/c/a-secret-of-the-candidate'
const NAMELESS = { durationMinutes: null, enabledLanguages: [], conceptsTested: [] }
const SERVICE = 'https://certify.example.com'
const SPRING = { baseUrl: SERVICE, campaign: 'spring' }
const TRACKS = ['quiz', 'pkg'].map((id) => {
  const skill = { ...NAMELESS, quizId: id, skillName: 'State and Events', level: 'BEGINNER' }
  return {
    id,
    name: null,
    slug: id,
    packages: [{ id, name: 'State and Events', level: 'BEGINNER', description: null, skills: [skill] }],
  }
})
const CREATE = { quizId: 'quiz', candidate: { email: 'a@example.com', name: 'Ada' } }
const LOST = { state: 'unknown', code: 'CONNECTION_LOST' } as const
const MARKUP = '<img src=x onerror=alert(1)>'

/** A studio over a ledger that has these creates: `unknown`, or created with an invite and a link. */
async function begin(
  creates: Readonly<Record<string, { unknown?: boolean; name?: string; packageId?: string }>>,
  host?: string,
) {
  const ledger: WholeLedger = await openLedger(':memory:')
  ledger.learnTitles(SERVICE, TRACKS)
  for (const [reference, { unknown = false, name = 'Ada', packageId }] of Object.entries(creates)) {
    const candidate = { email: `${/^\w+$/.test(reference) ? reference : 'odd'}@example.com`, name }
    const input = packageId === undefined ? { quizId: 'quiz', candidate } : { packageId, candidate }
    const invites = [{ inviteId: `inv_${reference}`, expiresAt: '2100-01-01T00:00:00.000Z', challengeUrl: LINK }]
    const claim = await claimed(ledger, claimOf(input, reference, SPRING))
    await ledger.settle(claim, unknown ? LOST : { state: 'created', invites })
  }
  return serve(ledger, undefined, host)
}

/** Records an event that has not been handled yet, and what became of it. */
async function receive({ inbox }: WholeLedger, key: string, reference: string, state: 'failed' | 'handled') {
  const body = new TextEncoder().encode(
    '{"type":"certification.completed","data":{"inviteId":"inv_1","result":"PASSED"}}',
  )
  await inbox.append({ key, reference, deliveryId: null, body, receivedAt: 1 })
  await inbox.settle(key, { state })
}

/** Records the result of an invite. */
function learn({ inbox }: WholeLedger, reference: string, inviteId: string, result: string) {
  const key = reference + result
  const type = 'certification.completed'
  return inbox.learn({ type, reference, inviteId, result, key, receivedAt: Date.now() } as InviteEvent)
}

async function serve(ledger: WholeLedger, account?: string, host?: string) {
  const studio = await startStudio({ ledger, account, by: 'grace', now: Date.now }, { port: 0, host })
  onTestFinished(async () => {
    await studio.close()
    await ledger.close()
  })
  const url = studio.newUrl()
  const { origin, port } = new URL(url)
  const first = await fetch(url, { redirect: 'manual' })
  const cookie = first.headers.get('set-cookie')?.split(';')[0] ?? ''
  const see = async (path: string, headers: object = {}) => {
    const response = await fetch(origin + path, { headers: { cookie, ...headers } })
    return { status: response.status, headers: response.headers, body: await response.text() }
  }
  const post = async (path: string, body: object, headers: object = {}) => {
    const own = { cookie, origin, 'content-type': 'application/json' }
    const { sentAt: of } = ('reference' in body && (await ledger.find(String(body.reference)))) || {}
    const response = await fetch(origin + path, {
      method: 'POST',
      body: JSON.stringify({ of, ...body }),
      headers: { ...own, ...headers },
    })
    return { status: response.status, body: await response.text() }
  }
  return { ledger, studio, url, origin, port, first, cookie, see, post }
}

/** An invite that another program made, with a link that is open for this many days. */
function imported(reference: string, days: number, quizId = 'quiz') {
  const expiresAt = new Date(Date.now() + days * 86_400_000).toISOString()
  const email = `${reference}@example.com`
  return { quizId, from: 'elsewhere', email, reference, inviteIds: [reference], expiresAt }
}

/* `fetch` sets the host itself. */
async function withHost(port: string, host: string, cookie: string): Promise<number> {
  const sent = request({ port, host: '127.0.0.1', headers: { host, cookie } }).end()
  const response = await new Promise<IncomingMessage>((resolve) => sent.on('response', resolve))
  await text(response)
  return response.statusCode ?? 0
}

test('the token of a URL is good for one request, and is not the cookie; without either nothing is shown', async () => {
  const { studio, url, origin, first, cookie, see } = await begin({ a: { unknown: true } })
  expect(first.status).toBe(303)
  expect(first.headers.get('location')).toBe('/')
  expect(first.headers.get('set-cookie')).toMatch(/; HttpOnly; SameSite=Strict; Path=\/$/)
  expect((await see('/')).status).toBe(200)
  const token = new URL(url).searchParams.get('token') ?? ''
  const [name = '', session = ''] = cookie.split('=')
  expect(session).not.toBe(token)
  for (const path of ['/', '/records', '/records.csv', '/events', '/kit/assets/page.css']) {
    expect([path, (await fetch(origin + path)).status]).toEqual([path, 401])
  }
  const used = [`/?token=${token}`, `/records?token=${token}`, '/?token=', '/?token=guessed', `/?token=${session}`]
  for (const path of used) expect([path, (await fetch(origin + path)).status]).toEqual([path, 401])
  expect((await see('/', { cookie: `${name}=${token}` })).status).toBe(401)
  const fromElsewhere = await fetch(studio.newUrl().replace('/?', '//evil.example/?'), { redirect: 'manual' })
  expect(fromElsewhere.headers.get('location')).toBe('/evil.example/')
  const clicked = await fetch(studio.newUrl(), {
    headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document' },
    redirect: 'manual',
  })
  expect([clicked.status, await clicked.text()]).toEqual([200, expect.stringContaining('content="0;url=/"')])
})

test('only a GET uses up the token of a URL, and a page of another origin does not', async () => {
  const { studio } = await begin({})
  const url = studio.newUrl()
  const origin = 'http://localhost:3000'
  for (const init of [{ method: 'HEAD' }, { method: 'POST' }, { headers: { origin } }])
    expect((await fetch(url, init)).status).toBeGreaterThan(400)
  expect((await fetch(url)).headers.get('set-cookie')).toBeNull()
  expect((await fetch(url, { redirect: 'manual' })).status).toBe(401)
})

test('it answers to any loopback name and port, and to no other host', async () => {
  const { port, cookie } = await begin({})
  const token = cookie.split('=')[1] ?? ''
  const ask = (host: string) => withHost(port, host, `certify-studio-${host.split(':').at(-1)}=${token}`)
  expect([await ask('localhost:9000'), await ask('studio.localhost:80'), await ask('[::1]:5')]).toEqual([200, 200, 200])
  expect([await ask('evil.example:80'), await ask('127.0.0.1.evil.example:80')]).toEqual([403, 403])
})

test('a page of another origin can neither read nor decide', async () => {
  const { ledger, see, post, cookie, origin } = await begin({ a: { unknown: true } })
  const finding = { reference: 'a', state: 'unknown', decision: 'not-created' }
  expect((await post('/resolve', finding, { origin: 'http://localhost:3000' })).status).toBe(403)
  expect((await post('/resolve', finding, { origin: 'null' })).status).toBe(403)
  expect((await post('/resolve', finding, { 'content-type': 'text/plain' })).status).toBe(415)
  const bare = await fetch(`${origin}/resolve`, {
    method: 'POST',
    body: '{}',
    headers: { cookie, 'content-type': 'application/json' },
  })
  expect(bare.status).toBe(403)
  expect((await see('/records.csv', { 'sec-fetch-site': 'same-site', 'sec-fetch-dest': 'empty' })).status).toBe(403)
  expect((await ledger.find('a'))?.state).toBe('unknown')
  const { headers } = await see('/')
  expect(headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; script-src 'self';.*frame-ancestors 'none'/,
  )
})

test('each answer settles the record with who and why, and can be undone', async () => {
  const { ledger, see, post } = await begin({ a: { unknown: true }, b: { unknown: true } })
  expect((await see('/decisions')).body).toMatch(/the connection broke before a response arrived/)
  const about = { state: 'unknown', note: 'she forwarded it' }
  expect((await post('/resolve', { ...about, reference: 'a', decision: 'created', invites: 'inv_9' })).status).toBe(200)
  expect((await post('/resolve', { ...about, reference: 'b', decision: 'not-created' })).status).toBe(200)
  const [a, b] = [await ledger.find('a'), await ledger.find('b')]
  expect(a).toMatchObject({ state: 'created', invites: [{ inviteId: 'inv_9' }] })
  expect(a?.history.at(-1)).toMatchObject({ what: 'resolved', by: 'grace', note: 'she forwarded it' })
  expect(b?.state).toBe('not-executed')
  expect((await see('/decisions')).body).toContain('Nothing needs a decision')
  expect((await post('/resolve', { reference: 'b', state: 'not-executed', decision: 'undo' })).status).toBe(200)
  expect((await ledger.find('b'))?.state).toBe('unknown')
})

test('each decision of the ledger is listed with who, when and why, whichever process recorded it', async () => {
  const { ledger, see } = await begin({ a: { unknown: true }, b: { unknown: true, name: '=cmd' } })
  await ledger.resolve('a', { created: ['inv_9'], by: 'ann', note: 'she forwarded it' })
  await ledger.resolve('b', { notCreated: true, by: 'ben' })
  await ledger.resolve('b', { undo: true, by: 'ann' })
  const { body } = await see('/decided')
  const rows = body.match(/<tr>\s*<td><time[\s\S]*?<\/tr>/g)?.map((row) => row.replaceAll(/<[^>]*>|\s+/g, ' ')) ?? []
  expect(rows).toEqual([
    expect.stringMatching(/ann +undone +=cmd/),
    expect.stringMatching(/ben +does not exist +=cmd/),
    expect.stringMatching(/ann +exists +Ada .* she forwarded it +Undo/),
  ])
  const csv = (await see('/decided.csv')).body.trim().split('\r\n')
  expect([csv.length, csv[0], csv[2]]).toEqual([
    4,
    'decided_at,by,decision,note,email,name,title,campaign,sent_at,reference,state,account',
    expect.stringMatching(/,ben,does not exist,,b@example.com,'=cmd,/),
  ])
  expect((await see('/decided?q=forward')).body).toContain(
    'Nobody matches “forward” among 2 decided records of :memory:.',
  )
  expect((await see('/decided.csv?q=b%40example')).body.trim().split('\r\n')).toHaveLength(3)
})

test('a link is an answer, too; it is recorded, and masked wherever nobody asked for it', async () => {
  const { ledger, see, post } = await begin({
    a: { unknown: true },
    b: { unknown: true },
    c: { unknown: true, packageId: 'pkg' },
  })
  for (const [reference, invites] of Object.entries({
    a: LINK,
    b: `inv_9, ${LINK}`,
    c: `inv_1,inv_2 ${LINK}, ${LINK}2`,
  }))
    expect((await post('/resolve', { reference, state: 'unknown', decision: 'created', invites })).status).toBe(200)
  expect(await ledger.find('a')).toMatchObject({ state: 'created', invites: [], challengeUrls: [LINK] })
  expect(await ledger.find('b')).toMatchObject({ invites: [{ inviteId: 'inv_9', challengeUrl: LINK }] })
  expect(await ledger.find('c')).toMatchObject({ invites: [{}, {}], challengeUrls: [LINK, `${LINK}2`] })
  for (const path of ['/', '/decisions', '/records', '/records.csv', '/records/a', '/records/b', '/records/c'])
    expect([path, (await see(path)).body.includes('a-secret')]).toEqual([path, false])
  expect((await see('/records.csv')).body).toContain('certify.example.com/…date')
  for (const reference of ['a', 'b', 'c']) expect((await see(`/records/${reference}?link=shown`)).body).toContain(LINK)
})

test('of two people who decide one record at once, the second sees who decided', async () => {
  const { ledger, post } = await begin({ a: { unknown: true } })
  const about = { reference: 'a', state: 'unknown' }
  const [one, other] = await Promise.all([
    post('/resolve', { ...about, decision: 'not-created' }),
    post('/resolve', { ...about, decision: 'created' }),
  ])
  const refused = [one, other].find(({ status }) => status === 409)
  expect(refused?.body).toMatch(/grace decided at .* Nothing was changed/)
  expect((await ledger.find('a'))?.history).toHaveLength(3)
})

test('the question to a candidate names the title, and never an id that they have not seen', async () => {
  const { ledger, see } = await begin({ a: { unknown: true } })
  const untitled = { quizId: 'quiz_of_nobody', candidate: { email: 'b@example.com' } }
  await ledger.settle(await claimed(ledger, claimOf(untitled, 'b', SPRING)), { state: 'unknown' })
  const letters = [...(await see('/decisions')).body.matchAll(/data-copy="(Hello[^"]*)"/g)].map(([, letter]) => letter)
  expect(letters).toEqual([
    expect.stringMatching(/we invited you to a certification\. We/),
    expect.stringMatching(/we invited you to the certification “State and Events, beginner”\. We/),
  ])
  expect(letters.join('')).not.toContain('quiz')
})

test('a question that was opened before the create was sent again decides nothing about the later create', async () => {
  const { ledger, see, post } = await begin({ a: { unknown: true } })
  const opened = /data-create="([^"]*)"/.exec((await see('/decisions')).body)?.[1] ?? ''
  const form = { ...(JSON.parse(opened.replaceAll('&quot;', '"')) as object), decision: 'not-created' }
  expect((await post('/resolve', form)).status).toBe(200)
  await ledger.settle(await claimed(ledger, claimOf(CREATE, 'a', SPRING)), { state: 'unknown', code: 'TIMED_OUT' })
  const again = await ledger.find('a')
  for (const late of [form, { ...form, decision: 'created' }])
    expect(await post('/resolve', late)).toEqual({
      status: 409,
      body: expect.stringContaining(`sent again, at ${again?.sentAt}. Nothing was changed`) as unknown,
    })
  expect((await post('/resolve', { ...form, of: '' })).status).toBe(400)
  expect(await ledger.find('a')).toEqual(again)
})

test('a record that a callback has settled meanwhile needs no decision any more', async () => {
  const { ledger, see } = await begin({ a: { unknown: true } })
  expect((await see('/decisions')).body).toContain('id="not-created-')
  await learn(ledger, 'a', 'inv_a', 'PASSED')
  expect((await see('/decisions')).body).not.toContain('id="not-created-')
})

test.each([
  [{ decision: 'created', invites: 'one two' }, 400, 'give one id'],
  [{ decision: 'created', invites: `${LINK} ${LINK}2` }, 400, 'one link'],
  [{ decision: 'created', note: 'a\u0007b' }, 400, 'note has'],
  [{ decision: 'perhaps' }, 400, 'Say what became of it'],
  [{ decision: 'created', invites: 'javascript:alert(1)' }, 400, 'javascript: URL'],
  [{ decision: 'created', invites: 'inv_1 mailto:ada@example.com' }, 400, 'mailto: URL'],
  [{ decision: 'created', invites: 'https://' }, 400, 'not a URL'],
  [{ decision: 'created', invites: 'inv_taken' }, 409, 'That invite is recorded for another candidate'],
  [{ decision: 'created', reference: 'gone' }, 404, 'no longer has'],
])('an answer that cannot be recorded changes nothing: $2', async (given, status, message) => {
  const { ledger, post } = await begin({ a: { unknown: true }, taken: {} })
  const answered = await post('/resolve', { reference: 'a', state: 'unknown', ...given })
  expect(answered).toEqual({ status, body: expect.stringContaining(message) })
  expect((await ledger.find('a'))?.state).toBe('unknown')
})

test('markup and control characters of names and references stay text, and formulas stay text in a spreadsheet', async () => {
  const odd = `${MARKUP}/../?#%`
  const { see } = await begin({
    [odd]: { name: `${MARKUP}\u202e` },
    a: { name: '=HYPERLINK("http://evil")', unknown: true },
  })
  for (const path of ['/', '/decisions', '/records', `/records/${encodeURIComponent(odd)}`]) {
    const { status, body } = await see(path)
    expect([path, status, body.includes('<img')]).toEqual([path, 200, false])
  }
  const { body, headers } = await see('/records.csv')
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(body).toContain(`"'=HYPERLINK(""http://evil"")"`)
  expect(body).not.toContain('a-secret-of-the-candidate')
})

test('records are found by any part of what a row shows, and by state', async () => {
  const { see } = await begin({ ada: {}, ben: { unknown: true }, cleo: { packageId: 'pkg' } })
  const found = async (query: string) =>
    [...(await see(`/records?${query}`)).body.matchAll(/href="\/records\/(\w+)"/g)].map(([, name]) => name)
  expect(await found('')).toEqual(['cleo', 'ben', 'ada'])
  expect(await found('q=ADA%40ex')).toEqual(['ada'])
  expect(await found('q=inv_c')).toEqual(['cleo'])
  expect(await found('q=be')).toEqual(['cleo', 'ben', 'ada'])
  expect(await found('q=events+beginner+ben')).toEqual(['ben'])
  expect(await found('q=ben%40beginner')).toEqual([])
  expect(await found(`q=${'a'.repeat(5000)}`)).toEqual([])
  expect(await found('status=unknown')).toEqual(['ben'])
  for (const q of ['%00', '%00zzz', 'a%07', '%EF%BF%BD'])
    for (const view of ['records', 'records.csv', 'decisions', 'decided', 'decided.csv', 'callbacks'])
      expect([q, view, (await see(`/${view}?q=${q}`)).status]).toEqual([q, view, 400])
  expect((await see('/records?since=yesterday')).status).toBe(400)
  expect((await see('/records?q=Knuth')).body).toContain('Nobody matches “Knuth” among 3 records of :memory:.')
  expect((await see('/records?q=ben&status=unknown')).body).toContain('1 of 3 records')
  expect((await see('/records/ada')).body).not.toContain(LINK)
  expect((await see('/records/ada?link=shown')).body).toContain(LINK)
  expect((await see('/records/gone')).status).toBe(404)
})

test('each number of the first page leads to as many records', async () => {
  const { ledger, see } = await begin({ ada: {}, ben: { unknown: true }, cleo: { packageId: 'pkg' }, dora: {} })
  await ledger.import([imported('dan', 1), imported('eve', 1), imported('old', -1)])
  await learn(ledger, 'ada', 'inv_ada', 'FAILED')
  await learn(ledger, 'dora', 'inv_dora', 'FAILED')
  await learn(ledger, 'eve', 'eve', 'PASSED')
  const { body } = await see('/')
  const numbers: string[] = []
  for (const [, to = '', shown = ''] of body.matchAll(/<a href="(\/(?:records|decisions)\?[^"]+)">(.*?)<\/a>/g)) {
    const label = shown.replaceAll(/<[^>]*>/g, '')
    if (!/^\d/.test(label)) continue
    const rows = [...(await see(to.replaceAll('&amp;', '&'))).body.matchAll(/class="(?:who|name)/g)]
    expect([label, rows.length]).toEqual([label, Number.parseInt(label, 10)])
    numbers.push(label)
  }
  expect(numbers).toEqual(expect.arrayContaining(['1 expires within 3 days, without a result', '2 failed', '1 passed']))
  expect(numbers).toContain('1 expired')
  expect(body).toMatch(/<b>1<\/b> needs a decision<\/a>/)
  expect(body).toMatch(/3 of \d finished/)
})

test('records are chosen by campaign, package and state together, in either order, and the CSV has the same', async () => {
  const { ledger, see } = await begin({ ada: {}, ben: { unknown: true }, cleo: { packageId: 'pkg' } })
  await ledger.import([3, 1, 2].map((days) => imported(`day${days}`, days, 'other')))
  for (const [query, expected] of Object.entries({
    'campaign=spring': ['cleo', 'ben', 'ada'],
    'campaign=spring&status=unknown': ['ben'],
    'campaign=spring&status=open&package=pkg': ['cleo'],
    'campaign=autumn': [],
    'quiz=other&sort=expiry': ['day1', 'day2', 'day3'],
  })) {
    const { body } = await see(`/records?${query}`)
    const rows = [...body.matchAll(/class="who"><a href="\/records\/(\w+)"/g)].map(([, name]) => name)
    expect([query, rows]).toEqual([query, expected])
    const csv = (await see(`/records.csv?${query}`)).body.trim().split('\r\n').slice(1)
    expect([query, csv.length]).toEqual([query, expected.length])
    for (const [index, line] of csv.entries()) expect(line).toContain(`${expected[index]}@`)
  }
})

test('of several accounts, only the one that was asked for is shown, searched, decided and replayed', async () => {
  const ledger: WholeLedger = await openLedger(':memory:')
  for (const account of ['mine', 'theirs']) {
    const input = { quizId: 'quiz', candidate: { email: `${account}@example.com` } }
    await ledger.settle(await claimed(ledger, claimOf(input, account, { ...SPRING, account })), { state: 'unknown' })
    await receive(ledger, `cb_${account}`, account, 'failed')
  }
  const { see, post } = await serve(ledger, 'mine')
  for (const path of ['/', '/decisions', '/decided', '/records', '/records.csv', '/callbacks', '/callbacks?q=example'])
    expect([path, (await see(path)).body.includes('theirs')]).toEqual([path, false])
  expect((await see('/')).body).toContain(`certify.example.com · account mine`)
  expect((await see('/records/theirs')).status).toBe(404)
  expect((await post('/resolve', { reference: 'theirs', state: 'unknown', decision: 'not-created' })).status).toBe(404)
  expect((await post('/replay', { key: 'cb_theirs' })).status).toBe(404)
  expect(await ledger.inbox.find('cb_theirs')).toMatchObject({ state: 'failed' })
  expect((await post('/replay', { key: 'cb_mine' })).status).toBe(200)
})

test('what was lost together is one incident, and a record names the command that removes its candidate', async () => {
  const { see } = await begin({ ada: { unknown: true }, ben: { unknown: true }, cleo: {} })
  const { body } = await see('/decisions')
  expect(body.match(/the connection broke/g)).toHaveLength(1)
  expect(body).toMatch(/<b>2<\/b> of <bdi class="whole">spring<\/bdi>/)
  const record = (await see('/records/cleo')).body
  expect(record).toMatch(/1 record\. It asks[\s\S]*certify ledger purge --email cleo@example.com --ledger :memory:/)
})

test('the page of a record names every reference that it answers', async () => {
  const { ledger, see } = await begin({ a: {} })
  await ledger.claim({ ...claimOf(CREATE, 'b', SPRING), ifInvited: 'reuse' })
  expect((await see('/records/a')).body).toMatch(/Answers also<\/dt><dd><code><bdi class="whole">b</)
})

test('a search counts all that it finds', async () => {
  const { ledger, see } = await begin({})
  const invites = Array.from({ length: 1001 }, (_each, index) => ({
    email: `broad-${index}@example.com`,
    quizId: 'quiz',
    from: 'elsewhere',
  }))
  await ledger.import(invites, { baseUrl: 'https://certify.example.com' })
  expect((await see('/records?q=broad')).body).toContain('1,001 records')
  expect((await see('/records?q=broad-1')).body).toMatch(/open <b>112<\/b>/)
  expect((await see('/records')).body).toContain('1,001 records')
})

test('the first page shows how far each campaign, package and quiz is, by title', async () => {
  const { see } = await begin({ ada: {}, ben: { unknown: true }, cleo: { packageId: 'pkg' } })
  const rows = [
    ...(await see('/')).body.matchAll(/class="who"><a href="([^"]*)"><b><bdi[^>]*>([^<]*)[\s\S]*?(\d+ of \d+)/g),
  ]
  expect(rows.map(([, ...row]) => row)).toEqual([
    ['/records?campaign=spring', 'spring', '0 of 3'],
    ['/records?package=pkg', 'State and Events, beginner', '0 of 1'],
    ['/records?quiz=quiz', 'State and Events, beginner', '0 of 2'],
  ])
})

test('an event is replayed as callbacks replay does', async () => {
  const { ledger, see, post } = await begin({})
  await receive(ledger, 'cb_1', 'a', 'failed')
  expect((await see('/callbacks')).body).toContain('Given up after 1 failure')
  expect((await post('/replay', { key: 'cb_1' })).status).toBe(200)
  expect(await ledger.inbox.find('cb_1')).toMatchObject({ state: 'waiting', failures: 0 })
  expect((await post('/replay', { key: 'cb_2' })).status).toBe(404)
})

test('older events are on the next pages', async () => {
  const { ledger, see } = await begin({})
  for (let index = 0; index < 26; index += 1)
    await receive(ledger, `cb_${index}`, 'a', index < 2 ? 'failed' : 'handled')
  const keysOf = (page: string) => [...page.matchAll(/id="replay-(cb_\d+)"/g)].map(([, key]) => key)
  const first = (await see('/callbacks')).body
  expect(keysOf(first)).toHaveLength(25)
  const [, next = ''] = /<a href="([^"]+)">Next page</.exec(first) ?? []
  const second = (await see(next)).body
  expect([keysOf(second), second.includes('<a href="/callbacks">First page</a>')]).toEqual([['cb_0'], true])
  expect(keysOf((await see('/callbacks?status=failed')).body)).toEqual(['cb_1', 'cb_0'])
})

test('the command prints its address, and ends with 0 after Ctrl-C', async () => {
  const { certify } = createRunner()
  expect((await certify(['studio'])).code).toBe(5)
  const interruption = AbortSignal.abort('SIGINT')
  const { code, stdout, stderr } = await certify(['studio', '--json', '--ledger', ':memory:'], { interruption })
  expect([code, stderr]).toEqual([0, ''])
  expect(JSON.parse(stdout)).toEqual({
    url: expect.stringMatching(/^http:\/\/127.0.0.1:\d+\/\?token=[\w-]{43}$/),
    ledger: ':memory:',
  })
})

test('--open hands the browser a file that only this user can read, and that its first request deletes', async () => {
  const { certify, home } = createRunner()
  const interruption = new AbortController()
  let seen: object | undefined
  const run: World['run'] = async ({ args }) => {
    const [path = ''] = args
    const html = readFileSync(path, 'utf8')
    const url = /url=(http:[^"]+)"/.exec(html)?.[1] ?? ''
    const before = statSync(path).mode & 0o777
    const { status } = await fetch(url, { redirect: 'manual' })
    const again = await fetch(url, { redirect: 'manual' })
    seen = { args, before, status, again: again.status, isThere: existsSync(path) }
    interruption.abort('SIGINT')
    return { exitCode: 0 }
  }
  const argv = ['studio', '--open', '--ledger', ':memory:']
  const { code, stdout } = await certify(argv, { run, interruption: interruption.signal })
  expect(code).toBe(0)
  expect(stdout).toMatch(/^http:.*token=/)
  const file = expect.stringMatching(new RegExp(`^${home.folder}/certify/studio-[\\w-]+\\.html$`))
  expect(seen).toEqual({ args: [file], before: 0o600, status: 303, again: 401, isThere: false })
})

test('--open leaves no file behind if nobody opened it, and says that the browser could not be started', async () => {
  const { certify, home } = createRunner()
  const interruption = AbortSignal.abort('SIGINT')
  const { stderr } = await certify(['studio', '--open', '--ledger', ':memory:'], { interruption })
  expect(stderr).toContain('could not be started: open the address yourself.')
  expect(readdirSync(join(home.folder, 'certify'))).toEqual([])
})

test('Enter at the terminal prints another URL', async () => {
  const { certify } = createRunner()
  const interruption = new AbortController()
  const run: World['run'] = async () => {
    await new Promise((resolve) => setImmediate(resolve))
    interruption.abort('SIGINT')
    return { exitCode: 0 }
  }
  const world = { terminal: 100, answers: [], stdin: '\n', run, interruption: interruption.signal }
  const { stdout } = await certify(['studio', '--open', '--ledger', ':memory:'], world)
  const urls = stdout.match(/http:\S+/g) ?? []
  expect([urls.length, new Set(urls).size]).toEqual([2, 2])
})
