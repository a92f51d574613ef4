import { env } from 'node:process'
import express from 'express'
import { applicants } from './applicants.js'
import { openInvites } from './invites.js'

const invites = await openInvites()
const app = express()
const NOBODY = { status: 404, body: { state: 'no such applicant' } }

/* Before every body parser: the handler reads the body itself. */
app.use('/certify', invites.callbacks.listener)
app.use(express.json())

app.post('/applicants/:id/invite', async (request, response) => {
  const applicant = applicants.get(request.params.id)
  const { status, body } = applicant ? await invites.invite(applicant, request.body?.quizId) : NOBODY
  response.status(status).json(body)
})

app.get('/applicants/:id', async (request, response) => {
  const applicant = applicants.get(request.params.id)
  const { status, body } = applicant ? await invites.stateOf(applicant) : NOBODY
  response.status(status).json(body)
})

const { PORT = '3000', HOST = '127.0.0.1' } = env
const server = app.listen(Number(PORT), HOST, () => console.log(`listening on http://${HOST}:${PORT}`))

/* `close` waits for the requests in flight, and so for their creates. Only then is the ledger closed. */
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => server.close(() => void invites.close()))
}
