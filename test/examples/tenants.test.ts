import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createMockServer, type MockServer } from '../../mock-server/index.ts'
import { installExample, type RunningExample, startExample } from './run-example.ts'
import { expectNoSecrets } from './secrets.ts'

/* Tenants of one program, each with a key of its own. The request log of the mock names the key of a request. */

const SCOPES = ['CERTIFICATION_PACKAGE_READ', 'CERTIFICATION_INVITE_CREATE'] as const
const keys = { acme: 'ck_acme_1', 'acme-new': 'ck_acme_2', globex: 'ck_globex_1' }
const QUIZ = 'quiz_react_beginner_state'

let mock: MockServer
let program: RunningExample
let folder: string
const ends: (() => unknown)[] = []

beforeAll(async () => {
  mock = createMockServer({
    world: { apiKeys: Object.entries(keys).map(([name, key]) => ({ name, key, scopes: [...SCOPES] })) },
  })
  ends.push(() => mock.close())
  const { url } = await mock.listen()
  folder = installExample(inject('consumer'), 'tenants')
  mkdirSync(join(folder, 'keys'))
  setKey('acme', keys.acme)
  setKey('globex', keys.globex)
  program = await startExample(folder, { CERTIFY_BASE_URL: url, LEDGER: join(folder, 'tenants.ledger') })
  ends.push(program.kill)
})
afterAll(async () => {
  for (const end of ends.toReversed()) await end()
})

const setKey = (tenant: string, key: string) => writeFileSync(join(folder, 'keys', tenant), `${key}\n`)

async function request(path: string, init?: RequestInit) {
  const response = await fetch(`${program.origin}/tenants/${path}`, init)
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}
const invite = (tenant: string, email: string, quizId = QUIZ) =>
  request(`${tenant}/invites`, { method: 'POST', body: JSON.stringify({ quizId, candidate: { email } }) })
const list = async (tenant: string) =>
  (await request(`${tenant}/invites`)).body as unknown as readonly { readonly reference: string }[]
const keysOf = (email: string) =>
  mock.requestLog
    .list()
    .filter(({ body }) => body?.includes(email))
    .map(({ key }) => key)

test('the same person may be invited by two tenants, and by each of them once', async () => {
  const [acme, globex] = [await invite('acme', 'ada@example.com'), await invite('globex', 'ada@example.com')]
  expect([acme.status, globex.status]).toEqual([200, 200])
  expect(acme.body['inviteId']).not.toBe(globex.body['inviteId'])
  expect(await invite('acme', 'ada@example.com')).toEqual(acme)
  expect(await invite('globex', 'ada@example.com')).toEqual(globex)
  expect(keysOf('ada@example.com')).toEqual(['acme', 'globex'])
})

test('a tenant sees its own invites and no others', async () => {
  await invite('acme', 'only-acme@example.com')
  const [acme, globex] = [await list('acme'), await list('globex')]
  expect(acme.length).toBeGreaterThan(globex.length)
  const foreign = acme.map(({ reference }) => reference)
  expect(globex.filter(({ reference }) => foreign.includes(reference))).toEqual([])
  expect(await request(`acme/invites/${foreign[0]}`)).toEqual({ status: 200, body: { state: 'created' } })
  expect(await request(`globex/invites/${foreign[0]}`)).toMatchObject({ status: 404 })
  expect(await request('umbrella/invites')).toMatchObject({ status: 404 })
})

test('a body that is no input is refused as one, and nothing is sent', async () => {
  const before = mock.requestLog.list().length
  for (const body of ['{', 'null', '7', '', '{"quizId":7}']) {
    expect(await request('acme/invites', { method: 'POST', body })).toMatchObject({ status: 400 })
  }
  expect(mock.requestLog.list()).toHaveLength(before)
})

test('a body that is too long is refused, and nothing is sent', async () => {
  const before = mock.requestLog.list().length
  const body = JSON.stringify({ quizId: QUIZ, candidate: { email: 'ada@example.com', name: 'A'.repeat(70_000) } })
  expect(await request('acme/invites', { method: 'POST', body })).toEqual({ status: 413, body: { code: 'TOO_LONG' } })
  expect(mock.requestLog.list()).toHaveLength(before)
})

test('a rate limit of one tenant does not stop another', async () => {
  const limited = { status: 429, headers: { 'retry-after': '2' }, body: '' }
  mock.faults.add({ key: 'acme', fault: limited, times: 1 })
  let isAnswered = false
  const waiting = invite('acme', 'slow@example.com').then((answer) => {
    isAnswered = true
    return answer
  })
  await mock.waitForRequest({ status: 429, timeoutMs: 20_000 })
  expect(await invite('globex', 'quick@example.com')).toMatchObject({ status: 200 })
  expect(isAnswered).toBe(false)
  expect(await waiting).toMatchObject({ status: 200 })
  expect(mock.invites.filter(({ candidate }) => candidate.email === 'slow@example.com')).toHaveLength(1)
})

test('a new key counts from the next request on, without a restart, and the invites are still known', async () => {
  const before = await invite('acme', 'before@example.com')
  setKey('acme', keys['acme-new'])
  expect(await invite('acme', 'after@example.com')).toMatchObject({ status: 200 })
  expect([keysOf('before@example.com'), keysOf('after@example.com')]).toEqual([['acme'], ['acme-new']])
  expect(await invite('acme', 'before@example.com')).toEqual(before)
})

test('a tenant whose key is not accepted gets the code, and the log of the program has no key, candidate or link', async () => {
  setKey('globex', 'ck_revoked')
  expect(await invite('globex', 'nobody@example.com')).toMatchObject({
    status: 502,
    body: { code: 'UNAUTHENTICATED', outcome: 'not-executed' },
  })
  expect(program.output()).toContain('UNAUTHENTICATED')
  expectNoSecrets(program.output(), mock, 'ck_revoked', 'nobody@example.com')
})

test('SIGTERM in the middle of a create loses nothing', async () => {
  mock.faults.add({ email: 'last@example.com', fault: { delayMs: 1500 } })
  const sending = invite('acme', 'last@example.com')
  await expect.poll(() => keysOf('last@example.com').length, { timeout: 20_000 }).toBe(1)
  const ended = program.end('SIGTERM')
  expect(await sending).toMatchObject({ status: 200, body: { inviteId: mock.invites.at(-1)?.inviteId } })
  expect(await ended).toBe(0)
})
