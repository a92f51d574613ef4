import * as z from 'zod/mini'
import type { MockServer } from '../contract/mock-server.ts'
import type { Internals } from '../sandbox/rows.ts'
import { candidate, invite, inviteRow, mail, pageOf } from '../schemas/control-results.ts'
import { mustBe } from '../schemas/error-messages.ts'
import type { Invite } from '../world/model.ts'
import { orNotFound, refuse } from './control-errors.ts'
import { type Call, type Operation, operation, PAGING } from './operation.ts'
import { inviteWords, mailWords, pageOfRows } from './row-search.ts'

export function inviteOperations(mock: MockServer, { rows: { invites } }: Internals): Operation[] {
  const challengeOf = ({ param }: Call) => orNotFound(() => mock.open(param('inviteId')))
  const inviteOf = (call: Call) => {
    const { invite: row, offer } = challengeOf(call)
    return { ...row, offer }
  }
  const claim = z.object({ kind: z.enum(['retake', 'level-up'], { error: mustBe('retake or level-up') }) })
  return [
    operation(
      'GET /invites',
      'The invites, newest first',
      { query: ['status', ...PAGING], result: pageOf(inviteRow) },
      ({ query: { status, ...query } }) => {
        const hasStatus = status !== undefined && { fits: (each: Invite): boolean => invites.statusOf(each) === status }
        return pageOfRows(invites, { words: inviteWords, ...hasStatus }, query)
      },
    ),
    operation('GET /invites/{inviteId}', 'One invite, and what its candidate may claim', { result: invite }, inviteOf),
    ...(['start', 'pass', 'fail', 'abandon'] as const).map((act) =>
      operation(`POST /invites/{inviteId}/${act}`, `The candidate does this: ${act}`, { result: invite }, (call) => {
        challengeOf(call)[act]()
        return inviteOf(call)
      }),
    ),
    operation(
      'POST /invites/{inviteId}/claim',
      'The candidate claims the offer: a new invite',
      { body: claim, example: { kind: 'retake' }, result: inviteRow, status: 201 },
      (call) => challengeOf(call).claim(call.body.kind),
    ),
  ]
}

export function candidateOperations(mock: MockServer): Operation[] {
  const quiz = {
    body: z.object({ quizId: z.string({ error: mustBe('a text') }) }),
    example: { quizId: 'quiz_react_beginner_state' },
  }
  return [
    operation(
      'GET /candidates/{email}',
      'The attempts and certifications of a candidate',
      { result: candidate },
      ({ param }) => {
        const { email, attempts, certifications } = mock.candidate(param('email'))
        return { email, attempts, certifications }
      },
    ),
    operation(
      'POST /candidates/{email}/start-attempt',
      'The candidate begins an attempt without a link',
      quiz,
      ({ param, body }) => mock.candidate(param('email')).startAttempt(body.quizId),
    ),
    operation(
      'POST /candidates/{email}/certify',
      'The candidate passes a quiz without a link',
      quiz,
      ({ param, body }) => mock.candidate(param('email')).certify(body.quizId),
    ),
  ]
}

export function outboxOperations(mock: MockServer, { rows }: Internals): Operation[] {
  return [
    operation(
      'GET /outbox',
      'The e-mails, newest first',
      { query: ['to', 'limit', 'page'], result: pageOf(mail) },
      ({ query: { to, ...query } }) => pageOfRows(rows.mails, { words: mailWords }, { search: to, ...query }),
    ),
    operation(
      'GET /outbox/wait',
      'The newest e-mail that fits, or the first one to come',
      { query: ['to', 'after', 'timeoutMs'], result: mail },
      async ({ query: { to, after, timeoutMs = '5000' }, signal }) => {
        const isValid = /^\d+$/.test(timeoutMs) && Number(timeoutMs) <= 600_000
        if (!isValid) refuse(400, 'BAD_REQUEST', 'timeoutMs is a whole number from 0 to 600000.')
        if (after !== undefined) orNotFound(() => mock.open(after))
        const wait = { to, after, timeoutMs: Number(timeoutMs), signal }
        return mock.waitForMail(wait).catch((error: Error) => refuse(504, 'NO_MAIL', error.message))
      },
    ),
  ]
}
