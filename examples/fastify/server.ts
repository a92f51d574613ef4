import { env } from 'node:process'
import Fastify from 'fastify'
import { applicants } from './applicants.js'
import { openInvites } from './invites.js'

const invites = await openInvites()
/* A callback URL is a secret, even at a wrong address, so no log line has a URL. */
const app = Fastify({ logger: { serializers: { req: ({ method }) => ({ method }) } } })
app.setNotFoundHandler((_request, reply) => reply.code(404).send({ state: 'no such address' }))

/* A separate plugin, whose only parser leaves the body unread: the handler reads it itself. */
app.register(async (callbacks) => {
  callbacks.removeAllContentTypeParsers()
  callbacks.addContentTypeParser('*', (_request, _body, done) => done(null))
  callbacks.all('/certify/:token', (request, reply) => {
    reply.hijack()
    invites.callbacks.listener(request.raw, reply.raw)
  })
})

app.post<{ Params: { id: string }; Body: { quizId?: unknown } | null }>(
  '/applicants/:id/invite',
  async (request, reply) => {
    const applicant = applicants.get(request.params.id)
    if (applicant === undefined) return reply.code(404).send({ state: 'no such applicant' })
    const { status, body } = await invites.invite(applicant, request.body?.quizId)
    return reply.code(status).send(body)
  },
)

app.get<{ Params: { id: string } }>('/applicants/:id', async (request, reply) => {
  const applicant = applicants.get(request.params.id)
  if (applicant === undefined) return reply.code(404).send({ state: 'no such applicant' })
  const { status, body } = await invites.stateOf(applicant)
  return reply.code(status).send(body)
})

/* `close` waits for the requests in flight, and so for their creates. Then it calls `onClose`. */
app.addHook('onClose', () => invites.close())

/* Otherwise it also waits up to 72 s (`keepAliveTimeout`) for the connections of these requests. */
let closing = false
app.addHook('preClose', async () => {
  closing = true
})
app.addHook('onSend', async (_request, reply) => {
  if (closing) reply.header('connection', 'close')
})

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void app.close())

const { PORT = '3000', HOST = '127.0.0.1' } = env
await app.listen({ port: Number(PORT), host: HOST })
