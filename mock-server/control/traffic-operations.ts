import * as z from 'zod/mini'
import { OPERATIONS } from '../api/schema.ts'
import type { MockServer } from '../contract/mock-server.ts'
import type { Internals } from '../sandbox/rows.ts'
import { callback, exchange, faultRow, pageOf } from '../schemas/control-results.ts'
import { callbackRule, requestRule } from '../schemas/fault-rules.ts'
import { orNotFound } from './control-errors.ts'
import { type Operation, operation, PAGING } from './operation.ts'
import { callbackWords, pageOfRows, requestWords } from './row-search.ts'

export function callbackOperations({ callbacks }: MockServer, { rows }: Internals): Operation[] {
  const paused = z.object({ paused: z.boolean() })
  return [
    operation(
      'GET /callbacks',
      'The callbacks, newest first',
      { query: PAGING, result: z.extend(pageOf(callback), paused.shape) },
      ({ query }) => ({ paused: callbacks.paused, ...pageOfRows(rows.callbacks, { words: callbackWords }, query) }),
    ),
    operation('POST /callbacks/pause', 'Begins no further attempts to deliver', { result: paused }, () => {
      callbacks.pause()
      return { paused: true }
    }),
    operation('POST /callbacks/resume', 'Delivers what waits', { result: paused }, () => {
      callbacks.resume()
      return { paused: false }
    }),
    operation(
      'POST /callbacks/{eventId}/redeliver',
      'Sends an event again; answers with the callback, before the attempt',
      { result: callback },
      ({ param }) => {
        orNotFound(() => callbacks.redeliver(param('eventId')))
        return callbacks.list().find(({ id }) => id === param('eventId'))
      },
    ),
  ]
}

export function faultOperations({ faults, apiKeys }: MockServer): Operation[] {
  const request = requestRule({ operations: OPERATIONS, keys: apiKeys.map(({ name }) => name) })
  return [
    operation('GET /faults', 'The rules, and their hits', { result: z.object({ faults: z.array(faultRow) }) }, () => ({
      faults: faults.list(),
    })),
    operation(
      'POST /faults',
      'Adds a rule',
      {
        body: z.looseObject({}),
        documented: z.union([request, callbackRule({ events: null })]),
        example: { operation: OPERATIONS[0], phase: 'after', fault: 'cut' },
        result: faultRow,
        status: 201,
      },
      ({ body }) => {
        const { id } = faults.add(body)
        return faults.list().find((rule) => rule.id === id)
      },
    ),
    operation('DELETE /faults', 'Removes all rules', {}, () => faults.clear()),
    operation('DELETE /faults/{faultId}', 'Removes one rule', {}, ({ param }) =>
      orNotFound(() => faults.remove(param('faultId'))),
    ),
  ]
}

export function requestOperations({ requestLog }: MockServer, { rows }: Internals): Operation[] {
  return [
    operation(
      'GET /requests',
      'The last requests, newest first',
      { query: ['ignored', ...PAGING], result: z.extend(pageOf(exchange), { dropped: z.int() }) },
      ({ query: { ignored, ...query } }) => {
        const from = ignored === 'true' ? rows.ignored : rows.requests
        return { dropped: requestLog.dropped, ...pageOfRows(from, { words: requestWords }, query) }
      },
    ),
    operation('DELETE /requests', 'Forgets all requests', {}, () => requestLog.clear()),
  ]
}
