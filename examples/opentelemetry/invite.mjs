// Invites whom a line of its input names, and prints the spans: {"quizId":"…","candidate":{"email":"…"}}
import { env, stdin } from 'node:process'
import { text } from 'node:stream/consumers'
import { trace } from '@opentelemetry/api'
import { ConsoleSpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import { CertifyClient, isCertifyError } from 'certify-sdk'
import { tracing } from './tracing.mjs'

/* In your application: the exporter and the processor that it has already. */
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(new ConsoleSpanExporter())] })
provider.register()

const { CERTIFY_BASE_URL: baseUrl, CERTIFY_API_KEY: apiKey } = env
const client = new CertifyClient({ baseUrl, apiKey, ...tracing(baseUrl) })

await trace.getTracer('hiring').startActiveSpan('hire', async (span) => {
  try {
    const { inviteId } = await client.invites.create(JSON.parse(await text(stdin)))
    span.setAttribute('certify.invite_id', inviteId)
  } catch (error) {
    if (!isCertifyError(error)) throw error
    console.error(error.code, error.outcome, error.reference)
    process.exitCode = 1
  } finally {
    span.end()
  }
})
await provider.shutdown()
