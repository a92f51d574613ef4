import { execFileSync } from 'node:child_process'
import { expect, inject, test } from 'vitest'
import { writeProject } from '../package/consumer.ts'
import { blocksOf } from '../package/pages.ts'
import { install } from './installed.ts'

const MAIN = `import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { CertifyClient } from 'certify-sdk'
import { createMockServer } from 'certify-sdk/mock'
const exporter = new InMemorySpanExporter()
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
await import('./spans.mjs')
const mock = createMockServer()
const { baseUrl, apiKey, fetch } = mock
const client = new CertifyClient({ baseUrl, apiKey, fetch })
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
  parent: nameOf(span.parentSpanContext?.spanId),
  reference: span.attributes.reference,
  status: span.attributes.status,
  code: span.attributes.code,
  isError: span.status.code === 2,
}))))
`

test('the program of docs/production.md makes OpenTelemetry spans: the attempts below their create, below the caller', () => {
  for (const name of ['api', 'sdk-trace-base', 'context-async-hooks']) install(`@opentelemetry/${name}`)
  const spans = blocksOf('docs/production.md').find(({ file }) => file === 'spans.mjs')?.code ?? ''
  const folder = writeProject(inject('consumer'), 'tracing', { 'spans.mjs': spans, 'main.mjs': MAIN })
  const made = JSON.parse(execFileSync(process.execPath, ['main.mjs'], { cwd: folder, encoding: 'utf8' })) as object[]
  const reference = 'hire-4711'
  expect(made).toEqual([
    { name: 'attempt', parent: 'create', reference, status: 429, code: 'RATE_LIMITED', isError: true },
    { name: 'attempt', parent: 'create', reference, status: 200, isError: false },
    { name: 'create', parent: 'request', reference, isError: false },
    { name: 'request', isError: false },
  ])
})
