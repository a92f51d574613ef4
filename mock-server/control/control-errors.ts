/** An error as the control API answers with it. */
export interface ErrorAnswer {
  readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 500 | 504
  readonly code: string
  readonly message: string
}

/** Ends a request with an error. */
export function refuse(status: ErrorAnswer['status'], code: string, message: string): never {
  throw new ControlError({ status, code, message })
}

/** What the step returns; 404 where it throws, because something is not there. */
export function orNotFound<Result>(step: () => Result): Result {
  try {
    return step()
  } catch (error) {
    return refuse(404, 'NOT_FOUND', error instanceof Error ? error.message : String(error))
  }
}

/** The answer to an error: what the mock itself has to say is for the tester, all else for nobody. */
export function errorAnswer(error: Error): ErrorAnswer {
  if (error instanceof ControlError) return error.answer
  if (error.name === 'Refusal') return { status: 409, code: codeOf(error), message: error.message }
  if (error.constructor === Error) return { status: 400, code: 'BAD_REQUEST', message: error.message }
  return { status: 500, code: 'INTERNAL_ERROR', message: 'Something went wrong in the mock itself.' }
}

class ControlError extends Error {
  readonly answer: ErrorAnswer

  constructor(answer: ErrorAnswer) {
    super(answer.message)
    this.answer = answer
  }
}

function codeOf(error: Error): string {
  return 'code' in error ? String(error.code) : 'REFUSED'
}
