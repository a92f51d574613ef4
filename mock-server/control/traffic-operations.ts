import * as z from 'zod/mini'
import { OPERATIONS } from '../api/schema.ts'
import type { FaultRule } from '../contract/fault-rules.ts'
import type { MockServer } from '../contract/mock-server.ts'
import { callbackRule, requestRule } from '../schemas/fault-rules.ts'
import { callback, exchange, faultRow, pageOf } from '../schemas/rows.ts'
import { orNotFound } from './control-errors.ts'
import { type Operation, withBody } from './operation.ts'
import { pageOfRows } from './row-search.ts'
import { requestWords, searchedCallback } from './words.ts'

const paused = z.object({ paused: z.boolean() })

/** What comes in and what goes out: requests, callbacks, and what goes wrong with either. */
export function trafficOperations({ callbacks, faults, requestLog, apiKeys }: MockServer): Operation[] {
  const subjects = { operations: OPERATIONS, keys: apiKeys.map(({ name }) => name) }
  return [
    {
      way: 'GET /callbacks',
      summary: 'The callbacks, newest first',
      query: ['search', 'limit', 'page'],
      answer: { schema: z.extend(pageOf(callback), paused.shape) },
      run: ({ query }) => ({ paused: callbacks.paused, ...pageOfRows(callbacks.list(), searchedCallback, query) }),
    },
    {
      way: 'POST /callbacks/pause',
      summary: 'Begins no further attempts to deliver',
      answer: { schema: paused },
      run() {
        callbacks.pause()
        return { paused: true }
      },
    },
    {
      way: 'POST /callbacks/resume',
      summary: 'Delivers what waits',
      answer: { schema: paused },
      run() {
        callbacks.resume()
        return { paused: false }
      },
    },
    {
      way: 'POST /callbacks/{eventId}/redeliver',
      summary: 'Sends an event once more',
      run: ({ param }) => orNotFound(() => callbacks.redeliver(param('eventId'))),
    },
    {
      way: 'GET /faults',
      summary: 'The rules, and how often each has hit',
      answer: { schema: z.object({ faults: z.array(faultRow) }) },
      run: () => ({ faults: faults.list() }),
    },
    withBody({
      way: 'POST /faults',
      summary: 'Adds a rule',
      body: {
        schema: z.looseObject({}),
        described: z.union([requestRule(subjects), callbackRule({ events: null })]),
        example: { operation: OPERATIONS[0], phase: 'after', fault: 'cut' },
      },
      answer: { status: 201, schema: faultRow },
      run({ body }) {
        const { id } = faults.add(body as FaultRule)
        return faults.list().find((rule) => rule.id === id)
      },
    }),
    { way: 'DELETE /faults', summary: 'Removes all rules', run: () => faults.clear() },
    {
      way: 'DELETE /faults/{faultId}',
      summary: 'Removes one rule',
      run: ({ param }) => orNotFound(() => faults.remove(param('faultId'))),
    },
    {
      way: 'GET /requests',
      summary: 'The last requests, newest first',
      query: ['search', 'limit', 'page'],
      answer: { schema: z.extend(pageOf(exchange), { dropped: z.int() }) },
      run: ({ query }) => ({ dropped: requestLog.dropped, ...pageOfRows(requestLog.list(), requestWords, query) }),
    },
    { way: 'DELETE /requests', summary: 'Forgets all requests', run: () => requestLog.clear() },
  ]
}
