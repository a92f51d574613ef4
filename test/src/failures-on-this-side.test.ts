import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { CertifyClient, type Fetch } from '../../src/index.ts'
import { failureOf } from './failing.ts'

const baseUrl = 'https://certify.test'
const candidate = { name: 'Ada Byron', email: 'ada@example.com' }
const clientBy = (fetch: Fetch) => new CertifyClient({ baseUrl, apiKey: 'ck_secret', fetch, retry: false })
const throwing = (error: Error) =>
  clientBy(async () => {
    throw error
  })

test('what the given fetch throws is the cause, and the message says that this fetch failed', async () => {
  const cause = new TypeError('x is not a function')
  const error = await failureOf(throwing(cause).invites.create({ quizId: 'q', candidate }))
  expect(error).toMatchObject({ code: 'CONNECTION_LOST', outcome: 'unknown', phase: 'sent' })
  expect(error.message).toBe('invites.create: the given `fetch` failed.')
  expect(error.cause).toBe(cause)
})

test('a body that the given fetch cannot read to its end has the error as the cause', async () => {
  const cause = new Error('decoder')
  const body = (async function* () {
    yield new TextEncoder().encode('{"data":')
    throw cause
  })()
  const client = clientBy(async () => ({ status: 200, ok: true, headers: new Headers(), body }))
  const error = await failureOf(client.invites.create({ quizId: 'q', candidate }))
  expect(error).toMatchObject({ code: 'RESPONSE_UNREADABLE', outcome: 'unknown', cause })
})

test('the error of the given fetch may have the request in it: it is not printed with the error', async () => {
  const cause = new Error('could not send ck_secret for ada@example.com')
  const error = await failureOf(throwing(cause).invites.create({ quizId: 'q', candidate }))
  for (const shown of [inspect(error), JSON.stringify(error), String(error)]) {
    expect(shown).not.toContain('ck_secret')
    expect(shown).not.toContain('ada@')
  }
})

test('the error of the runtime’s own fetch is no cause: it may have the request in it', async () => {
  const client = new CertifyClient({ baseUrl: 'http://127.0.0.1:2', apiKey: 'ck_secret', retry: false })
  const error = await failureOf(client.invites.create({ quizId: 'q', candidate }))
  expect(error.code).toBe('UNREACHABLE')
  expect(error.cause).toBeUndefined()
})

test.each([
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_GET_ISSUER_CERT',
])('the hint for %s is about the certificate, not about the network', async (code) => {
  const error = await failureOf(throwing(Object.assign(new Error(), { code })).tracks.list())
  expect(error).toMatchObject({ code: 'UNREACHABLE', outcome: 'not-executed' })
  expect(error.message).toContain(`the certificate was not accepted (${code})`)
  expect(error.hint).toMatch(/name and dates.*NODE_EXTRA_CA_CERTS/)
})

test('a missing scope is named: the one of the operation', async () => {
  const mock = createMockServer()
  const client = (name: string) => {
    const apiKey = mock.apiKeys.find((each) => each.name === name)?.key ?? ''
    return new CertifyClient({ baseUrl: mock.baseUrl, apiKey, fetch: mock.fetch })
  }
  const create = await failureOf(client('read').invites.create({ quizId: 'q', candidate }))
  expect(create.hint).toBe('The credentials need the scope CERTIFICATION_INVITE_CREATE.')
  const list = await failureOf(client('invite').tracks.list())
  expect(list.hint).toBe('The credentials need the scope CERTIFICATION_PACKAGE_READ.')
})

test('of what a function for the key threw, its name, message and code are printed with the error, and nothing else', async () => {
  const details = { code: 'ESEALED', config: { token: 'vault-token' }, stack: 'Error: vault-token' }
  const cause = Object.assign(new TypeError('vault is sealed'), details)
  const errorFor = (thrown: Error) => {
    const apiKey = () => Promise.reject(thrown)
    const client = new CertifyClient({ baseUrl, apiKey, fetch: async () => new Response(), retry: false })
    return failureOf(client.tracks.list())
  }
  const error = await errorFor(cause)
  expect(error.cause).toBe(cause)
  expect(error.toJSON()['cause']).toEqual({ name: 'TypeError', message: 'vault is sealed', code: 'ESEALED' })
  expect(inspect(error)).toContain("message: 'vault is sealed'")
  expect(inspect(error) + JSON.stringify(error)).not.toContain('vault-token')
  const others: unknown[] = ['vault-token', undefined, null, { message: { token: 'vault-token' } }]
  for (const thrown of others) {
    expect((await errorFor(thrown as Error)).toJSON()).not.toHaveProperty('cause')
  }
})
