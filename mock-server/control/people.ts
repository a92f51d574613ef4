import type { Context } from 'hono'
import { Hono } from 'hono/tiny'
import type { MockServer } from '../contract/mock-server.ts'
import type { SiteEnv } from './env.ts'
import { bodyOf, must, refuse, textIn } from './misuse.ts'
import { newestFirst, wholeNumber } from './selection.ts'
import { inviteWords } from './words.ts'

/** Invites and their candidates, the e-mails to them, and the quizzes that they take. */
export function peopleRoutes(mock: MockServer): Hono<SiteEnv> {
  const challengeOf = (c: Context<SiteEnv>) => must(() => mock.open(c.req.param('id') ?? ''), 404)
  const shown = (c: Context<SiteEnv>) => {
    const { invite, offer } = challengeOf(c)
    return { ...invite, offer }
  }
  const app = new Hono<SiteEnv>()
    .get('/invites', (c) => {
      const { search = '', status, limit, page } = c.req.query()
      const all = mock.invites.filter((invite) => status === undefined || invite.status === status)
      return c.json(newestFirst(all, { search, words: inviteWords, page: wholeNumber(page, 1), size: sizeOf(limit) }))
    })
    .get('/invites/:id', (c) => c.json(shown(c)))
    .post('/invites/:id/claim', async (c) => {
      const kind = textIn(await bodyOf(c), 'kind')
      if (kind !== 'retake' && kind !== 'level-up') return refuse(400, 'BAD_REQUEST', 'kind is retake or level-up.')
      return c.json(challengeOf(c).claim(kind), 201)
    })
    .get('/candidates/:email', (c) => {
      const { email, attempts, certifications } = mock.candidate(c.req.param('email'))
      return c.json({ email, attempts, certifications })
    })
    .post('/candidates/:email/start-attempt', async (c) => {
      mock.candidate(c.req.param('email')).startAttempt(textIn(await bodyOf(c), 'quizId'))
      return c.body(null, 204)
    })
    .post('/candidates/:email/certify', async (c) => {
      mock.candidate(c.req.param('email')).certify(textIn(await bodyOf(c), 'quizId'))
      return c.body(null, 204)
    })
    .get('/tracks', (c) => c.json({ tracks: mock.tracks }))
    .get('/quizzes', (c) => c.json({ quizzes: mock.quizzes }))
    .post('/quizzes/:id/enable', (c) => {
      must(() => mock.enableQuiz(c.req.param('id')), 404)
      return c.body(null, 204)
    })
    .post('/quizzes/:id/disable', (c) => {
      must(() => mock.disableQuiz(c.req.param('id')), 404)
      return c.body(null, 204)
    })
    .get('/outbox', (c) => {
      const { to = '', limit, page } = c.req.query()
      return c.json(
        newestFirst(mock.outbox, {
          search: to,
          words: (mail) => [mail.to],
          page: wholeNumber(page, 1),
          size: sizeOf(limit),
        }),
      )
    })
    .get('/outbox/wait', async (c) => {
      const { to, after, timeoutMs = '5000' } = c.req.query()
      const isGiven = /^\d+$/.test(timeoutMs) && Number(timeoutMs) <= 600_000
      if (!isGiven) refuse(400, 'BAD_REQUEST', 'timeoutMs is a whole number from 0 to 600000.')
      if (after !== undefined) must(() => mock.open(after), 404)
      const wait = { to, after, timeoutMs: Number(timeoutMs), signal: c.env.signal }
      const mail = await mock.waitForMail(wait).catch((error: Error) => refuse(504, 'NO_MAIL', error.message))
      return c.json(mail)
    })
  for (const act of ['start', 'pass', 'fail', 'abandon'] as const) {
    app.post(`/invites/:id/${act}`, (c) => {
      challengeOf(c)[act]()
      return c.json(shown(c))
    })
  }
  return app
}

/** How many rows are given at once: 100, or so many as are asked for, at most 1,000. */
export function sizeOf(limit: string | undefined): number {
  return Math.min(Math.max(1, wholeNumber(limit, 100)), 1000)
}
