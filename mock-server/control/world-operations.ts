import * as z from 'zod/mini'
import type { MockServer } from '../contract/mock-server.ts'
import { mustBe } from '../schemas/messages.ts'
import { candidate, invite, inviteRow, mail, pageOf, quiz, track } from '../schemas/rows.ts'
import { orNotFound, refuse } from './control-errors.ts'
import { type Call, type Operation, withBody } from './operation.ts'
import { pageOfRows } from './row-search.ts'
import { inviteWords } from './words.ts'

const QUIZ = {
  schema: z.object({ quizId: z.string({ error: mustBe('a text') }) }),
  example: { quizId: 'quiz_react_beginner_state' },
}

/** Invites and their candidates, the e-mails to them, and the quizzes that they take. */
export function worldOperations(mock: MockServer): Operation[] {
  const challengeOf = ({ param }: Call) => orNotFound(() => mock.open(param('inviteId')))
  const shown = (call: Call) => {
    const { invite: row, offer } = challengeOf(call)
    return { ...row, offer }
  }
  return [
    {
      way: 'GET /invites',
      summary: 'The invites, newest first',
      query: ['search', 'status', 'limit', 'page'],
      answer: { schema: pageOf(inviteRow) },
      run({ query: { search, status, ...query } }) {
        const all = mock.invites.filter((row) => status === undefined || row.status === status)
        return pageOfRows(all, inviteWords, { search, ...query })
      },
    },
    {
      way: 'GET /invites/{inviteId}',
      summary: 'One invite, and what its candidate may claim now',
      answer: { schema: invite },
      run: shown,
    },
    ...(['start', 'pass', 'fail', 'abandon'] as const).map(
      (act): Operation => ({
        way: `POST /invites/{inviteId}/${act}`,
        summary: `The candidate does this: ${act}`,
        answer: { schema: invite },
        run(call) {
          challengeOf(call)[act]()
          return shown(call)
        },
      }),
    ),
    withBody({
      way: 'POST /invites/{inviteId}/claim',
      summary: 'The candidate claims what is on offer: a new invite',
      body: {
        schema: z.object({ kind: z.enum(['retake', 'level-up'], { error: mustBe('retake or level-up') }) }),
        example: { kind: 'retake' },
      },
      answer: { status: 201, schema: inviteRow },
      run: (call) => challengeOf(call).claim(call.body.kind),
    }),
    {
      way: 'GET /candidates/{email}',
      summary: 'The attempts and certifications of a candidate',
      answer: { schema: candidate },
      run({ param }) {
        const { email, attempts, certifications } = mock.candidate(param('email'))
        return { email, attempts, certifications }
      },
    },
    withBody({
      way: 'POST /candidates/{email}/start-attempt',
      summary: 'The candidate begins an attempt without any link',
      body: QUIZ,
      run: ({ param, body }) => mock.candidate(param('email')).startAttempt(body.quizId),
    }),
    withBody({
      way: 'POST /candidates/{email}/certify',
      summary: 'The candidate passes a quiz without any link',
      body: QUIZ,
      run: ({ param, body }) => mock.candidate(param('email')).certify(body.quizId),
    }),
    {
      way: 'GET /tracks',
      summary: 'All tracks with all their packages',
      answer: { schema: z.object({ tracks: z.array(track) }) },
      run: () => ({ tracks: mock.tracks }),
    },
    {
      way: 'GET /quizzes',
      summary: 'All quizzes',
      answer: { schema: z.object({ quizzes: z.array(quiz) }) },
      run: () => ({ quizzes: mock.quizzes }),
    },
    {
      way: 'POST /quizzes/{quizId}/enable',
      summary: 'Puts a quiz into service',
      run: ({ param }) => orNotFound(() => mock.enableQuiz(param('quizId'))),
    },
    {
      way: 'POST /quizzes/{quizId}/disable',
      summary: 'Takes a quiz out of service',
      run: ({ param }) => orNotFound(() => mock.disableQuiz(param('quizId'))),
    },
    {
      way: 'GET /outbox',
      summary: 'The e-mails, newest first',
      query: ['to', 'limit', 'page'],
      answer: { schema: pageOf(mail) },
      run: ({ query: { to, ...query } }) => pageOfRows(mock.outbox, (each) => [each.to], { search: to, ...query }),
    },
    {
      way: 'GET /outbox/wait',
      summary: 'The newest e-mail that is asked for, or the first one to come',
      query: ['to', 'after', 'timeoutMs'],
      answer: { schema: mail },
      async run({ query: { to, after, timeoutMs = '5000' }, signal }) {
        const isGiven = /^\d+$/.test(timeoutMs) && Number(timeoutMs) <= 600_000
        if (!isGiven) refuse(400, 'BAD_REQUEST', 'timeoutMs is a whole number from 0 to 600000.')
        if (after !== undefined) orNotFound(() => mock.open(after))
        const wait = { to, after, timeoutMs: Number(timeoutMs), signal }
        return mock.waitForMail(wait).catch((error: Error) => refuse(504, 'NO_MAIL', error.message))
      },
    },
  ]
}
