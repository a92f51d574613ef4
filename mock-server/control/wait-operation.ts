import type * as z from 'zod/mini'
import type { Abortable } from '../contract/mock-server.ts'
import { NoneCame, UnknownAfter } from '../sandbox/waits.ts'
import { type ErrorCode, refuse } from './control-errors.ts'
import { type Operation, operation } from './operation.ts'

interface WaitFor<Query extends z.ZodMiniObject> {
  /** Which row to wait for. */
  readonly query: Query
  readonly result: z.ZodMiniType
  /** The code of the error when none comes in time. */
  readonly code: ErrorCode
}

/** An operation that answers when a row has come. It ends with the connection of its client. */
export function waitOperation<Query extends z.ZodMiniObject>(
  route: `GET /${string}`,
  summary: string,
  { query, result, code }: WaitFor<Query>,
  wait: (wait: z.output<Query> & Abortable) => Promise<unknown>,
): Operation {
  return operation(
    route,
    summary,
    { description: DESCRIPTION, query, result, errors: ['NOT_FOUND', code] },
    ({ query: wanted, signal }) =>
      wait({ ...wanted, signal }).catch((error: unknown) => {
        if (error instanceof NoneCame) refuse(504, code, error.message)
        if (error instanceof UnknownAfter) refuse(404, 'NOT_FOUND', error.message)
        throw error
      }),
  )
}

const DESCRIPTION = 'Answers with the newest row that fits, or with the first one that does. Status 504: none in time.'
