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

test('what a custom fetch throws is the cause, and the message says that this fetch failed', async () => {
  const cause = new TypeError('x is not a function')
  const error = await failureOf(throwing(cause).invites.create({ quizId: 'q', candidate }))
  expect(error).toMatchObject({ code: 'CONNECTION_LOST', outcome: 'unknown', phase: 'sent' })
  expect(error.message).toBe('invites.create: the given `fetch` failed.')
  expect(error.cause).toBe(cause)
})

test.each([
  [{ code: 'EPROTO' }, 'EPROTO'],
  [{ cause: { code: 'UND_ERR_SOCKET' } }, 'UND_ERR_SOCKET'],
  [{ code: 23, cause: { code: 'EPIPE' } }, 'EPIPE'],
  [{ code: 'secret of ada@example.com', cause: null }, undefined],
  [{ code: 'ADA@EXAMPLE.COM' }, undefined],
])('the message has the system’s code of the failure, and nothing else of it: $0', async (members, code) => {
  const { message } = await failureOf(throwing(Object.assign(new Error('ada'), members)).tracks.list())
  expect(/\((.*?)\)/.exec(message)?.[1]).toBe(code)
  expect(message).not.toMatch(/ada|secret/i)
})

test('if a custom fetch cannot read the body to its end, its error is the cause and the outcome is unknown', async () => {
  const cause = Object.assign(new Error('decoder'), { code: 'ECONNREFUSED', syscall: 'connect' })
  const body = (async function* () {
    yield new TextEncoder().encode('{"data":')
    throw cause
  })()
  const client = clientBy(async () => ({ status: 200, ok: true, headers: new Headers(), body }))
  const error = await failureOf(client.invites.create({ quizId: 'q', candidate }))
  expect(error).toMatchObject({ code: 'RESPONSE_UNREADABLE', outcome: 'unknown', cause })
})

test('a response of a custom fetch whose status cannot be read is unreadable, and the outcome unknown', async () => {
  const proxy = new Proxy({} as Awaited<ReturnType<Fetch>>, {
    get: (_response, name) => {
      if (name === 'then') return undefined
      throw new Error('it was disposed of')
    },
  })
  const error = await failureOf(clientBy(async () => proxy).invites.create({ quizId: 'q', candidate }))
  expect(error).toMatchObject({ code: 'RESPONSE_UNREADABLE', outcome: 'unknown' })
})

test('the error of a custom fetch may contain the request: it is not printed with ours', async () => {
  const cause = new Error('could not send ck_secret for ada@example.com')
  const error = await failureOf(throwing(cause).invites.create({ quizId: 'q', candidate }))
  for (const shown of [inspect(error), JSON.stringify(error), String(error)]) {
    expect(shown).not.toContain('ck_secret')
    expect(shown).not.toContain('ada@')
  }
})

test('the error of the runtime’s own fetch is not kept as the cause: it may contain the request', async () => {
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
])('the hint for %s points at the certificate, not at the network', async (code) => {
  const error = await failureOf(throwing(Object.assign(new Error(), { code })).tracks.list())
  expect(error).toMatchObject({ code: 'UNREACHABLE', outcome: 'not-executed' })
  expect(error.message).toContain(`the certificate was not accepted (${code})`)
  expect(error.hint).toMatch(/name and dates.*NODE_EXTRA_CA_CERTS/)
})

test('FORBIDDEN names the scope that the operation needs', async () => {
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

test('of what an apiKey function throws, only name, message and code are printed', async () => {
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
