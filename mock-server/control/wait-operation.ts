import type * as z from 'zod/mini'
import type { Wait } from '../contract/waits.ts'
import { NoneCame, UnknownAfter } from '../sandbox/waits.ts'
import { type ErrorCode, refuse } from './control-errors.ts'
import { type Operation, operation } from './operation.ts'

interface WaitFor<Query extends z.ZodMiniObject> {
  /** Which row to wait for. */
  readonly query: Query
  /** The parameters that are numbers, besides the time-out. */
  readonly numbers?: readonly (keyof z.output<Query> & string)[]
  readonly result: z.ZodMiniType
  /** The code of the error when none comes in time. */
  readonly code: ErrorCode
}

/** An operation that answers when a row has come. It ends with the connection of its client. */
export function waitOperation<Query extends z.ZodMiniObject>(
  route: `GET /${string}`,
  summary: string,
  { query, numbers = [], result, code }: WaitFor<Query>,
  wait: (wait: z.output<Query> & Wait) => Promise<unknown>,
): Operation {
  const isNumber = (name: string): boolean => name === 'timeoutMs' || numbers.includes(name)
  return operation(
    route,
    summary,
    { description: DESCRIPTION, query, result, errors: ['BAD_REQUEST', 'NOT_FOUND', code] },
    ({ query: sent, signal }) => {
      const wanted = Object.entries(sent).map(([name, text = '']) => [
        name,
        isNumber(name) && /^\d+$/.test(text) ? Number(text) : text,
      ])
      return wait({ ...Object.fromEntries(wanted), signal }).catch((error: unknown) => {
        if (error instanceof NoneCame) refuse(504, code, error.message)
        if (error instanceof UnknownAfter) refuse(404, 'NOT_FOUND', error.message)
        throw error
      })
    },
  )
}

const DESCRIPTION = 'Answers with the newest row that fits, or with the first one that does. Status 504: none in time.'
