import { problemsIn, type ReportedProblem } from '../world/problems.ts'
import { Refusal } from '../world/refusal.ts'

export interface ErrorAnswer {
  readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 500 | 503 | 504
  readonly code: string
  readonly message: string
  /** What is wrong with a world, and where. */
  readonly problems?: readonly ReportedProblem[]
}

export function refuse(status: ErrorAnswer['status'], code: string, message: string): never {
  throw new ControlError({ status, code, message })
}

/** What the step returns. Where it throws, because a row does not exist, the answer is 404. */
export function orNotFound<Result>(step: () => Result): Result {
  try {
    return step()
  } catch (error) {
    return refuse(404, 'NOT_FOUND', error instanceof Error ? error.message : String(error))
  }
}

/** The answer to an error. A plain Error is the mock's own and meant for the tester; any other is a bug, and says nothing. */
export function errorAnswer(error: Error): ErrorAnswer {
  if (error instanceof ControlError) return error.answer
  if (error instanceof Refusal) return { status: 409, code: error.code, message: error.message }
  if (error.constructor === Error) {
    const problems = problemsIn(error)
    return { status: 400, code: 'BAD_REQUEST', message: error.message, ...(problems && { problems }) }
  }
  return { status: 500, code: 'INTERNAL_ERROR', message: 'Something went wrong in the mock itself.' }
}

class ControlError extends Error {
  readonly answer: ErrorAnswer

  constructor(answer: ErrorAnswer) {
    super(answer.message)
    this.answer = answer
  }
}
