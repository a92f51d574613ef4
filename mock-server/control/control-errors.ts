import { problemsIn, type ReportedProblem } from '../world/problems.ts'
import { Refusal } from '../world/refusal.ts'

export interface ErrorResponse {
  readonly status: (typeof ERRORS)[ErrorCode]['status']
  readonly code: string
  readonly message: string
  /** What is wrong with a world, and where. */
  readonly problems?: readonly ReportedProblem[]
}

/** What each code of an error means, and its status. */
export const ERRORS = {
  BAD_REQUEST: { status: 400, description: 'The query or the body is not valid; the message says why.' },
  TOKEN_NEEDED: { status: 401, description: 'The mock has a control token, and the request does not.' },
  HOST_NOT_ALLOWED: { status: 403, description: 'The host name is not one of this machine, and was not allowed.' },
  FOREIGN_ORIGIN: { status: 403, description: 'The request came from a page of another origin.' },
  NOT_FOUND: { status: 404, description: 'There is no such row.' },
  LINK_USED: { status: 409, description: 'The attempt of this link has begun or ended.' },
  LINK_CLOSED: { status: 409, description: 'The link has expired.' },
  ATTEMPT_IN_PROGRESS: { status: 409, description: 'The candidate has an attempt in progress for this quiz.' },
  NO_OFFER: { status: 409, description: 'This follow-up is not on offer.' },
  NOT_ELIGIBLE: { status: 409, description: 'A rule of the service forbids the follow-up now.' },
  BAD_USER_INPUT: { status: 409, description: 'The service refuses the invite; the message says why.' },
  NO_QUIZ: { status: 409, description: 'No quiz of the world is READY.' },
  UNREADABLE: { status: 413, description: 'The body is too large, or not UTF-8.' },
  JSON_NEEDED: { status: 415, description: 'The content type is not `application/json`.' },
  INTERNAL_ERROR: { status: 500, description: 'A defect of the mock itself.' },
  TOO_MANY_STREAMS: { status: 503, description: 'Too many streams of events are open.' },
  NO_MAIL: { status: 504, description: 'No such e-mail was sent in time.' },
  NO_CALLBACK: { status: 504, description: 'There was no such callback in time.' },
} as const

export type ErrorCode = keyof typeof ERRORS

export function errorWith(code: ErrorCode, message: string): ErrorResponse {
  return { status: ERRORS[code].status, code, message }
}

export function refuse(code: ErrorCode, message: string): never {
  throw new ControlError(errorWith(code, message))
}

/** What the step returns. If it throws, because a row does not exist, the response is 404. */
export function orNotFound<Result>(step: () => Result): Result {
  try {
    return step()
  } catch (error) {
    return refuse('NOT_FOUND', error instanceof Error ? error.message : String(error))
  }
}

/** The response to an error. A plain Error is the mock's own, for the tester; any other is a bug, never described. */
export function responseToError(error: Error): ErrorResponse {
  if (error instanceof ControlError) return error.response
  if (error instanceof Refusal) return { status: 409, code: error.code, message: error.message }
  if (error.constructor === Error) {
    const problems = problemsIn(error)
    return { ...errorWith('BAD_REQUEST', error.message), ...(problems && { problems }) }
  }
  return errorWith('INTERNAL_ERROR', 'Something went wrong in the mock itself.')
}

/** Refuses a request in words for its sender. */
export class ControlError extends Error {
  readonly response: ErrorResponse

  constructor(response: ErrorResponse) {
    super(response.message)
    this.response = response
  }
}
