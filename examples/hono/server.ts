import { env } from 'node:process'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { applicants } from './applicants.js'
import { type Answer, openInvites } from './invites.js'

const invites = await openInvites()
const app = new Hono()

/* Add no middleware that reads the body or logs the URL: the handler reads the body itself, and the URL is a secret. */
app.all('/certify/:token', (context) => invites.callbacks(context.req.raw))

app.post('/applicants/:id/invite', async (context) => {
  const applicant = applicants.get(context.req.param('id'))
  if (applicant === undefined) return context.json({ state: 'no such applicant' }, 404)
  /* A body that is not JSON has no quiz: 400. */
  const body = await context.req.json<{ quizId?: unknown } | null>().catch(() => null)
  const answer: Answer = await invites.invite(applicant, body?.quizId)
  return context.json(answer.body, answer.status as ContentfulStatusCode)
})

app.get('/applicants/:id', async (context) => {
  const applicant = applicants.get(context.req.param('id'))
  if (applicant === undefined) return context.json({ state: 'no such applicant' }, 404)
  const answer = await invites.stateOf(applicant)
  return context.json(answer.body, answer.status as ContentfulStatusCode)
})

const { PORT = '3000', HOST = '127.0.0.1' } = env
const server = serve({ fetch: app.fetch, port: Number(PORT), hostname: HOST }, ({ port }) => {
  console.log(`listening on http://${HOST}:${port}`)
})

/* `close` waits for the requests in flight, and so for their creates. Only then the ledger is closed. */
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => server.close(() => void invites.close()))
}
