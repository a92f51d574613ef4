import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createMockServer, type MockServer } from '../../mock-server/index.ts'
import { startProgram } from './program.ts'
import { installExample } from './run-example.ts'
import { expectNoSecrets } from './secrets.ts'

/* The spans are those of an exporter in memory; the headers are those that arrive. */

interface Span {
  readonly name: string
  readonly kind: number
  readonly traceId: string
  readonly spanId: string
  readonly parent: string | undefined
  readonly attributes: Readonly<Record<string, unknown>>
  readonly events: readonly { readonly name: string; readonly attributes: Readonly<Record<string, unknown>> }[]
  readonly status: { readonly code: number; readonly message?: string }
}

let mock: MockServer
let folder: string
let url: string
let received: IncomingHttpHeaders[] = []
const output: string[] = []
const ends: (() => unknown)[] = []

/* In front of the mock: its request log has no headers. */
async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
  received.push(request.headers)
  const { 'x-api-key': key = '', 'content-type': type = '' } = request.headers
  const forwarded = await mock.fetch(`https://certify.test${request.url ?? ''}`, {
    method: request.method ?? 'GET',
    headers: { 'x-api-key': String(key), 'content-type': type },
    body: await buffer(request),
  })
  response.writeHead(forwarded.status, Object.fromEntries(forwarded.headers)).end(await forwarded.text())
}
const server = createServer((request, response) => void forward(request, response))

beforeAll(async () => {
  mock = createMockServer()
  ends.push(
    () => mock.close(),
    () => server.close(),
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  folder = installExample(inject('consumer'), 'opentelemetry')
  writeFileSync(
    join(folder, 'check.mjs'),
    `
import { env } from 'node:process'
import { propagation, trace } from '@opentelemetry/api'
import { context } from '@opentelemetry/api'
import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import { CertifyClient } from 'certify-sdk'
import { tracing } from './tracing.mjs'
const exporter = new InMemorySpanExporter()
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register()
const { CERTIFY_BASE_URL: baseUrl, CERTIFY_API_KEY: apiKey, EMAILS } = env
const client = new CertifyClient({ baseUrl, apiKey, ...tracing(baseUrl) })
const baggage = propagation.createBaggage({ user: { value: 'secret-baggage' } })
await context.with(propagation.setBaggage(context.active(), baggage), () =>
  trace.getTracer('test').startActiveSpan('hire', async (span) => {
    const invite = (email) => client.invites.create({ quizId: 'quiz_react_beginner_state', candidate: { email } })
    await Promise.allSettled(EMAILS.split(' ').map(invite))
    span.end()
  }),
)
console.log(JSON.stringify(exporter.getFinishedSpans().map(({ name, kind, attributes, events, status, parentSpanContext, spanContext }, index, all) => ({
  name, kind, attributes, status,
  events: events.map(({ name, attributes }) => ({ name, attributes })),
  parent: parentSpanContext?.spanId, ...all[index].spanContext(),
}))))
`,
  )
})
afterAll(async () => {
  for (const end of ends.toReversed()) await end()
})

/** Invites these candidates at the same time, and returns the spans. */
async function spansOf(...emails: readonly string[]): Promise<readonly Span[]> {
  received = []
  const env = { CERTIFY_BASE_URL: url, CERTIFY_API_KEY: mock.apiKey, EMAILS: emails.join(' ') }
  const { stdout, stderr } = await startProgram(folder, ['node', 'check.mjs'], env).ended
  expect(stderr).toBe('')
  output.push(stdout)
  return JSON.parse(stdout) as Span[]
}

const spanIdIn = (headers: IncomingHttpHeaders) => String(headers['traceparent']).split('-')[2]
const named = (spans: readonly Span[], name: string) => spans.filter((span) => span.name === name)
const call = 'certify invites.create'

test('a call is a span below that of the caller, an attempt is its child, and the request has its context', async () => {
  const spans = await spansOf('ada@example.com')
  const [[hire], [created], [attempt, ...others]] = [named(spans, 'hire'), named(spans, call), named(spans, 'POST')]
  expect(others).toEqual([])
  expect(created).toMatchObject({ parent: hire?.spanId, status: { code: 0 } })
  expect(created?.attributes).toEqual({
    'certify.operation': 'invites.create',
    'certify.reference': received[0]?.['x-client-reference'],
    'certify.attempts': 1,
    'http.response.status_code': 200,
  })
  expect(attempt).toMatchObject({ parent: created?.spanId, kind: 2 })
  expect(attempt?.attributes).toEqual({
    'http.request.method': 'POST',
    'http.response.status_code': 200,
    'server.address': '127.0.0.1',
    'server.port': Number(new URL(url).port),
  })
  expect(received.map((headers) => headers['traceparent'])).toEqual([`00-${attempt?.traceId}-${attempt?.spanId}-01`])
})

test('a retry is a second child, with its number, and an event with the wait', async () => {
  mock.faults.add({
    email: 'grace@example.com',
    fault: { status: 429, headers: { 'retry-after': '0' }, body: '' },
    times: 1,
  })
  const spans = await spansOf('grace@example.com')
  const [created] = named(spans, call)
  const attempts = named(spans, 'POST')
  expect(created?.attributes).toMatchObject({ 'certify.attempts': 2 })
  expect(created?.events).toEqual([{ name: 'retry', attributes: { 'certify.wait_ms': expect.any(Number) } }])
  expect(attempts.map(({ attributes }) => attributes)).toMatchObject([
    { 'http.response.status_code': 429, 'error.type': 'RATE_LIMITED', 'certify.outcome': 'not-executed' },
    { 'http.response.status_code': 200, 'http.request.resend_count': 1 },
  ])
  expect(received.map(spanIdIn)).toEqual(attempts.map(({ spanId }) => spanId))
})

test('a failed call has its code and its outcome: unknown is not mistaken for a failure', async () => {
  mock.faults.add({ email: 'lost@example.com', phase: 'after', fault: 502 })
  const [created] = named(await spansOf('lost@example.com'), call)
  expect(created).toMatchObject({
    status: { code: 2, message: 'SERVER_FAULT' },
    attributes: { 'error.type': 'SERVER_FAULT', 'certify.outcome': 'unknown', 'certify.attempts': 1 },
  })
})

test('calls at the same time do not mix: each attempt is below its own call', async () => {
  const spans = await spansOf('a@example.com', 'b@example.com', 'c@example.com')
  const calls = named(spans, call)
  expect(new Set(calls.map(({ spanId }) => spanId)).size).toBe(3)
  const parents = named(spans, 'POST').map(({ parent }) => String(parent))
  expect(parents.toSorted()).toEqual(calls.map(({ spanId }) => spanId).toSorted())
  for (const headers of received) {
    const attempt = spans.find(({ spanId }) => spanId === spanIdIn(headers))
    const owner = calls.find(({ spanId }) => spanId === attempt?.parent)
    expect(owner?.attributes['certify.reference']).toBe(headers['x-client-reference'])
  }
})

test('the program prints its spans', async () => {
  const input = '{"quizId":"quiz_react_beginner_state","candidate":{"name":"Hedy Lamarr","email":"hedy@example.com"}}'
  const env = { CERTIFY_BASE_URL: url, CERTIFY_API_KEY: mock.apiKey }
  const { status, stdout, stderr } = await startProgram(folder, ['npm', 'start', '--silent'], env, input).ended
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout).toMatch(/certify invites\.create[\s\S]*hire/)
  output.push(stdout)
})

test('no span has a key, a candidate or a link, and the baggage of the caller stays', () => {
  expectNoSecrets(output.join(''), mock, 'secret-baggage')
  expect(JSON.stringify(received)).not.toContain('secret-baggage')
})
