import type { Context } from 'hono'
import type { SiteEnv } from './env.ts'
import type { Misuse } from './guard.ts'

/** What makes a request of the control API end with an error. */
class MisuseError extends Error {
  readonly misuse: Misuse

  constructor(misuse: Misuse) {
    super(misuse.message)
    this.misuse = misuse
  }
}

/** Ends a request with an error. */
export function refuse(status: Misuse['status'], code: string, message: string): never {
  throw new MisuseError({ status, code, message })
}

/** Does what asks for something that may not be there. */
export function must<Result>(step: () => Result, status: Misuse['status'] = 400): Result {
  try {
    return step()
  } catch (error) {
    const code = status === 404 ? 'NOT_FOUND' : 'BAD_REQUEST'
    return refuse(status, code, error instanceof Error ? error.message : String(error))
  }
}

/** What is said of an error: what the mock itself has to say is meant for a tester, all else for nobody. */
export function misuseOf(error: Error): Misuse {
  if (error instanceof MisuseError) return error.misuse
  if (error.name === 'Refusal') return { status: 409, code: codeOf(error), message: error.message }
  if (error.constructor === Error) return { status: 400, code: 'BAD_REQUEST', message: error.message }
  return { status: 500, code: 'INTERNAL_ERROR', message: 'Something went wrong in the mock itself.' }
}

/** The JSON object in the body of a request; an empty one where there is no body. */
export async function bodyOf(c: Context<SiteEnv>): Promise<Readonly<Record<string, unknown>>> {
  const text = await c.req.text()
  const body = text === '' ? {} : must((): unknown => JSON.parse(text))
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return refuse(400, 'BAD_REQUEST', 'The body has to be a JSON object.')
  }
  return { ...body }
}

/** A text in a body. */
export function textIn(body: Readonly<Record<string, unknown>>, name: string): string {
  const value = body[name]
  return typeof value === 'string' ? value : refuse(400, 'BAD_REQUEST', `${name} has to be a text.`)
}

function codeOf(error: Error): string {
  return 'code' in error ? String(error.code) : 'REFUSED'
}
