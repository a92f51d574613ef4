import * as z from 'zod/mini'
import type { MockServer } from '../contract/mock-server.ts'
import { candidate, invite, inviteInput, inviteRow, inviteStatus, mail, pageOf } from '../contract/rows.ts'
import { described, object, optionalText } from '../contract/validation.ts'
import { mailWait } from '../contract/options.ts'
import type { Internals } from '../sandbox/rows.ts'
import { ATTEMPT_ACT_NAMES, ATTEMPT_ACTS } from '../world/candidate-actions.ts'
import { orNotFound } from './control-errors.ts'
import { type ControlRequest, type Operation, operation, PAGING, SEARCH, waitOperation } from './operation.ts'
import { newestFirst } from './row-search.ts'

export function inviteOperations(mock: MockServer, { rows: { invites } }: Internals): Operation[] {
  const challengeOf = ({ param }: ControlRequest) => orNotFound(() => mock.open(param('inviteId')))
  const inviteOf = (request: ControlRequest) => {
    const { invite: row, offer } = challengeOf(request)
    return { ...row, offer }
  }
  const status = z.optional(described(inviteStatus, 'The status of the invites.'))
  const claim = z.object({ kind: z.enum(['retake', 'level-up']) })
  return [
    operation(
      'GET /invites',
      'The invites, newest first',
      {
        query: object('a list of invites', { status, ...SEARCH }),
        result: pageOf(inviteRow),
      },
      ({ query }) => newestFirst(invites, query),
    ),
    operation(
      'GET /invites/{inviteId}',
      'One invite, and what its candidate may claim',
      { result: invite, errors: ['NOT_FOUND'] },
      inviteOf,
    ),
    ...ATTEMPT_ACT_NAMES.map((act) => {
      const { means, ends } = ATTEMPT_ACTS[act]
      const description = ends === null ? 'Works once, while the link is open.' : STARTS_FIRST
      return operation(
        `POST /invites/{inviteId}/${act}`,
        `The candidate ${means}`,
        { description, result: invite, errors: ['NOT_FOUND', 'LINK_USED', 'LINK_CLOSED', 'ATTEMPT_IN_PROGRESS'] },
        (request) => {
          challengeOf(request)[act]()
          return inviteOf(request)
        },
      )
    }),
    operation(
      'POST /invites/{inviteId}/claim',
      'The candidate claims the offer: a new invite',
      {
        description: 'A failed attempt offers a retake. A passed one offers a level-up, if there is a next level.',
        body: claim,
        example: { kind: 'retake' },
        result: inviteRow,
        status: 201,
        errors: ['NOT_FOUND', 'NO_OFFER', 'NOT_ELIGIBLE'],
      },
      (request) => challengeOf(request).claim(request.body.kind),
    ),
  ]
}

const STARTS_FIRST = 'Starts the attempt first, if it has not begun.'

/** The operations that create invites without a client's request. */
export function createOperations(mock: MockServer, { create }: Internals): Operation[] {
  return [
    operation(
      'POST /invites',
      'Creates one invite, or those of a package, by the rules of the service',
      {
        description:
          'The body is the input of the service. No key is needed; faults, rate limits and the request log do not apply.',
        errors: ['BAD_USER_INPUT'],
        body: inviteInput,
        example: { quizId: mock.quizzes[0]?.id ?? 'quiz', candidate: { name: 'Ada', email: 'ada@example.com' } },
        result: z.object({ invites: z.array(inviteRow) }),
        status: 201,
      },
      ({ body, base }) => ({ invites: create(body, base) }),
    ),
  ]
}

export function candidateOperations(mock: MockServer): Operation[] {
  const quiz = {
    body: z.object({ quizId: z.string() }),
    example: { quizId: 'quiz_react_beginner_state' },
    errors: ['ATTEMPT_IN_PROGRESS'] as const,
  }
  return [
    operation(
      'GET /candidates/{email}',
      'The attempts and certifications of a candidate',
      { description: 'A candidate whom nobody has invited has none.', result: candidate },
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
      { description: 'Adds one certification; the world stays as it is.', ...quiz },
      ({ param, body }) => mock.candidate(param('email')).certify(body.quizId),
    ),
  ]
}

export function outboxOperations(mock: MockServer, { rows }: Internals): Operation[] {
  const to = optionalText('Text that the address of an e-mail must contain, in any case.')
  return [
    operation(
      'GET /outbox',
      'The e-mails, newest first',
      { query: object('a list of e-mails', { to, ...PAGING }), result: pageOf(mail) },
      ({ query: { to: search, ...query } }) => newestFirst(rows.mails, { search, ...query }),
    ),
    waitOperation(
      'GET /outbox/wait',
      'Waits for an e-mail',
      { query: mailWait, result: mail, code: 'NO_MAIL' },
      (wait) => mock.waitForMail(wait),
    ),
  ]
}
