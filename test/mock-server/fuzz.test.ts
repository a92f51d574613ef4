import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { MockListener } from '../../mock-server/contract/mock-server.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { CREATE, CREATE_PACKAGE, TRACKS } from './calls.ts'

/*
 * Every request gets a response with a status below 500, and the mock keeps working. The seed is fixed, so that runs
 * are reproducible.
 */

const mock = createMockServer({ now: '2030-01-01T00:00:00Z' })
let listener: MockListener

beforeAll(async () => {
  listener = await mock.listen()
})
afterAll(() => listener.close())

const anyText = fc.string({ unit: 'binary', maxLength: 60 })
const anyJson = fc.jsonValue({ maxDepth: 5, stringUnit: 'binary' })
const oddName = fc.constantFrom('__proto__', 'constructor', 'toString', 'input', 'query', 'candidate', 'quizId', '')
const oddObject = fc.array(fc.tuple(oddName, anyJson), { maxLength: 4 }).map(objectText)
const document = fc.oneof(
  fc.constantFrom(TRACKS, CREATE, CREATE_PACKAGE, '{ __typename }'),
  fc.tuple(fc.constantFrom(TRACKS, CREATE), fc.nat(400)).map(([whole, end]) => whole.slice(0, end)),
  fc
    .array(fc.constantFrom('{', '}', '(', ')', '...', '"', '"""', ':', '$a', '@skip', 'id', '#', '!', '[', '\n'))
    .map((tokens) => tokens.join(' ')),
  anyText,
)
const parameters = fc
  .record({
    query: document.map(text),
    variables: oddObject,
    operationName: anyJson.map(text),
  })
  .map(
    (given) =>
      `{${Object.entries(given)
        .map(([name, json]) => `"${name}":${json}`)
        .join(',')}}`,
  )
const body = fc.oneof(
  parameters.map((json) => Buffer.from(json)),
  parameters.chain((json) => fc.nat(json.length).map((end) => Buffer.from(json.slice(0, end)))),
  anyJson.map((value) => Buffer.from(text(value))),
  oddObject.map((json) => Buffer.from(json)),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
)
const contentType = fc.oneof(
  { weight: 4, arbitrary: fc.constant('application/json') },
  fc.constantFrom('', 'text/plain', 'application/json;charset=utf-16', 'multipart/form-data', ';;=,', 'a'.repeat(4000)),
)
const accept = fc.constantFrom('*/*', 'application/json', 'application/graphql-response+json', 'text/html', ';q=,,', '')
const method = fc.constantFrom('POST', 'POST', 'POST', 'GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH')
const search = fc.oneof(
  fc.tuple(document, oddObject).map(([query, variables]) => `?${new URLSearchParams({ query, variables }).toString()}`),
  fc.constantFrom('', '?', '?query', '?query=%', '?%ff=%fe', '?query=%7B__typename%7D&query=x', '?variables=null'),
)

const runtimes = [
  { runtime: 'in process', runs: 600, fetch: mock.fetch, endpoint: () => mock.endpoint },
  { runtime: 'over HTTP', runs: 300, fetch: globalThis.fetch, endpoint: () => listener.endpoint },
]

describe.each(runtimes)('$runtime', ({ runs, fetch, endpoint }) => {
  test('every request gets a response below 500', async () => {
    const property = fc.asyncProperty(method, search, body, contentType, accept, async (...asked) => {
      const [how, where, bytes, type, kinds] = asked
      const response = await fetch(endpoint() + where, {
        method: how,
        headers: { 'x-api-key': mock.apiKey, 'content-type': type, accept: kinds },
        ...(how !== 'GET' && how !== 'HEAD' && { body: new Uint8Array(bytes) }),
      })
      const answer = await response.text()
      expect(response.status).toBeGreaterThanOrEqual(200)
      expect(response.status).toBeLessThan(500)
      expect(answer).not.toMatch(/INTERNAL_SERVER_ERROR|node_modules|\bat .*:\d+:\d+/)
      expect(how === 'HEAD' || typeof JSON.parse(answer) === 'object').toBe(true)
    })
    await fc.assert(property, { numRuns: runs, seed: 7 })
  })
})

function text(value: unknown): string {
  return JSON.stringify(value)
}

/** An object as JSON, its names unchanged: a literal would turn `__proto__` into a prototype. */
function objectText(entries: readonly (readonly [string, unknown])[]): string {
  return `{${entries.map(([name, value]) => `${text(name)}:${text(value)}`).join(',')}}`
}
