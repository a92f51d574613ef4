import { expect, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { type Answer, answerOf, post } from './calls.ts'

const BODY = JSON.stringify({ query: '{ __typename }' })
const codeOf = ({ body }: Answer): string | undefined => body?.errors?.[0]?.extensions?.code

test.each(['PUT', 'PATCH', 'DELETE', 'OPTIONS'])('the method %s is a 405 that allows GET and POST', async (method) => {
  const mock = createMockServer()
  const response = await mock.fetch(`${mock.endpoint}?query={__typename}`, { method })
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, POST'])
  expect(codeOf(await answerOf(response))).toBe('BAD_REQUEST')
})

test.each([
  ['application/json', 200],
  ['application/json; charset=utf-8', 200],
  ['Application/JSON;charset="UTF-8"', 200],
  ['application/json; charset=iso-8859-1', 415],
  ['text/plain', 415],
  ['application/graphql', 415],
  ['application/x-www-form-urlencoded', 415],
  ['', 415],
])('a body of type %j gets %i', async (type, status) => {
  const answer = await post(createMockServer(), BODY, { 'content-type': type })
  expect(answer.status).toBe(status)
  expect(codeOf(answer)).toBe(status === 415 ? 'BAD_REQUEST' : undefined)
})

test.each([
  ['', 'application/json'],
  ['*/*', 'application/json'],
  ['application/*', 'application/json'],
  ['application/json', 'application/json'],
  ['application/graphql-response+json', 'application/graphql-response+json'],
  ['application/graphql-response+json, application/json;q=0.9', 'application/graphql-response+json'],
  ['application/graphql-response+json;q=0.5, application/json', 'application/json'],
  ['text/html, */*;q=0.1', 'application/json'],
  ['*/*, application/json;q=0', 'application/graphql-response+json'],
  ['application/json;q=0, application/*;q=0.5', 'application/graphql-response+json'],
  ['application/json;q=0.1, */*', 'application/graphql-response+json'],
  ['application/json;charset=utf-8', 'application/json'],
])('accept %j is answered with %s', async (accept, type) => {
  const answer = await post(createMockServer(), BODY, { accept })
  expect([answer.status, answer.type]).toEqual([200, `${type}; charset=utf-8`])
})

test.each(['text/html', 'application/json;q=0', 'image/*', 'application/*;q=0, */*'])(
  'accept %j cannot be satisfied: 406',
  async (accept) => {
    const answer = await post(createMockServer(), BODY, { accept })
    expect([answer.status, codeOf(answer)]).toEqual([406, 'BAD_REQUEST'])
  },
)

test('a body that is not UTF-8 is refused, and the message says why', async () => {
  const mock = createMockServer()
  const body = Buffer.from('{"query":"{ __typename } #é"}', 'latin1')
  const headers = { 'content-type': 'application/json' }
  const answer = await answerOf(await mock.fetch(mock.endpoint, { method: 'POST', headers, body }))
  expect([answer.status, codeOf(answer)]).toEqual([400, 'BAD_REQUEST'])
  expect(answer.body?.errors?.[0]?.message).toContain('not UTF-8')
})

test.each([
  ['gzip', 415],
  ['br, gzip', 415],
  ['identity', 200],
])('a body with content-encoding %s gets %i', async (encoding, status) => {
  const answer = await post(createMockServer(), BODY, { 'content-encoding': encoding })
  expect(answer.status).toBe(status)
})

const padded = (bytes: number): string => BODY + ' '.repeat(bytes - BODY.length)

test('a body may have 1 MiB, and not one byte more', async () => {
  const mock = createMockServer()
  expect((await post(mock, padded(1024 * 1024))).status).toBe(200)
  const answer = await post(mock, padded(1024 * 1024 + 1))
  expect([answer.status, codeOf(answer)]).toEqual([413, 'BAD_REQUEST'])
  expect((await post(mock, JSON.stringify({ query: 'é'.repeat(600_000) }))).status).toBe(413)
})

test.each([
  ['/graphql', 'POST /api/developer/graphql'],
  ['/api/developer/graphql/', 'POST /api/developer/graphql'],
  ['/api/developers/graphql', 'POST /api/developer/graphql'],
  ['/challenges/abc', 'GET /challenge/{token}'],
  ['/', 'POST /api/developer/graphql'],
])('%s is not found: a 404 in JSON that names %s', async (path, nearest) => {
  const mock = createMockServer()
  const response = await mock.fetch(mock.baseUrl + path, { method: 'POST', body: BODY })
  expect(response.status).toBe(404)
  expect(await response.json()).toEqual({ message: expect.stringContaining(nearest) })
})
