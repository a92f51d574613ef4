import { execFileSync } from 'node:child_process'
import { expect, inject, test } from 'vitest'
import { compile, writeProject } from '../package/consumer.ts'
import { blocksOf } from '../package/pages.ts'
import { install } from './installed.ts'

const MAIN = `import { context, propagation, trace } from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { CertifyClient } from 'certify-sdk'
import { createMockServer } from 'certify-sdk/mock'
const exporter = new InMemorySpanExporter()
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
propagation.setGlobalPropagator(new W3CTraceContextPropagator())
const { traceHeaders } = await import('./spans.js')
const mock = createMockServer()
const { baseUrl, apiKey } = mock
const traceparents = []
const fetch = (url, init) => {
  traceparents.push(init.headers.traceparent)
  return mock.fetch(url, init)
}
const client = new CertifyClient({ baseUrl, apiKey, fetch, headers: traceHeaders })
mock.faults.add({ fault: 429 })
await trace.getTracer('app').startActiveSpan('request', async (span) => {
  const input = { quizId: 'quiz_react_beginner_state', candidate: { email: 'ada@example.com' } }
  await client.invites.create(input, { reference: 'hire-4711' })
  span.end()
})
const spans = exporter.getFinishedSpans()
const nameOf = (id) => spans.find((span) => span.spanContext().spanId === id)?.name
console.log(JSON.stringify(spans.map((span) => ({
  name: span.name,
  kind: span.kind,
  isSent: traceparents.some((traceparent) => traceparent.includes(span.spanContext().spanId)),
  parent: nameOf(span.parentSpanContext?.spanId),
  reference: span.attributes.reference,
  status: span.attributes.status,
  code: span.attributes.code,
  isError: span.status.code === 2,
}))))
`

test('the program of docs/production.md makes active OpenTelemetry spans, so each attempt sends a traceparent of its own', () => {
  for (const name of ['api', 'core', 'sdk-trace-base', 'context-async-hooks']) install(`@opentelemetry/${name}`)
  const spans = blocksOf('docs/production.md').find(({ file }) => file === 'spans.ts')?.code ?? ''
  const files = { 'package.json': '{"type":"module"}', 'spans.ts': spans, 'main.js': MAIN }
  const folder = writeProject(inject('consumer'), 'tracing', files)
  expect(compile(inject('consumer'), folder, ['spans.ts', '--noEmit', 'false'])).toBe('')
  const made = JSON.parse(execFileSync(process.execPath, ['main.js'], { cwd: folder, encoding: 'utf8' })) as object[]
  const attempt = { name: 'attempt', kind: 2, parent: 'create', reference: 'hire-4711', isSent: true }
  expect(made).toEqual([
    { ...attempt, status: 429, code: 'RATE_LIMITED', isError: true },
    { ...attempt, status: 200, isError: false },
    { name: 'create', kind: 0, parent: 'request', reference: 'hire-4711', isSent: false, isError: false },
    { name: 'request', kind: 0, isSent: false, isError: false },
  ])
})
