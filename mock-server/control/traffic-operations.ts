import * as z from 'zod/mini'
import { callbackRule, faultRow, requestRule } from '../contract/faults.ts'
import type { MockServer } from '../contract/mock-server.ts'
import { callback, exchange, pageOf } from '../contract/rows.ts'
import { object } from '../contract/validation.ts'
import { callbackWait } from '../contract/options.ts'
import { OPERATIONS } from '../generated/operations.ts'
import { type Internals, type MockRows, rowWhere } from '../sandbox/rows.ts'
import { orNotFound } from './control-errors.ts'
import { type Operation, operation, SEARCH, waitOperation } from './operation.ts'
import { newestFirst, type RowQuery, rowsWith } from './row-search.ts'
import { causeTestEvent } from './test-event.ts'

/** The events, and where they go, so that an application can be connected without restarting the mock. */
export function callbackOperations(mock: MockServer, internals: Internals): Operation[] {
  const { rows, changes, sender } = internals
  const { callbacks } = mock
  const paused = z.object({ paused: z.boolean() })
  return [
    operation(
      'GET /callbacks',
      'The callbacks, newest first',
      { query: object('a list of callbacks', SEARCH), result: z.extend(pageOf(callback), paused.shape) },
      ({ query }) => ({ paused: callbacks.paused, ...newestFirst(rows.callbacks, query) }),
    ),
    waitOperation(
      'GET /callbacks/wait',
      'Waits for a callback',
      { query: callbackWait, result: callback, code: 'NO_CALLBACK' },
      (wait) => mock.waitForCallback(wait),
    ),
    operation(
      'POST /callbacks/pause',
      'Pauses deliveries',
      { description: 'Begins no further attempts until they are resumed.', result: paused },
      () => {
        callbacks.pause()
        return { paused: true }
      },
    ),
    operation('POST /callbacks/resume', 'Resumes deliveries', { result: paused }, () => {
      callbacks.resume()
      return { paused: false }
    }),
    operation(
      'POST /callbacks/{eventId}/redeliver',
      'Sends an event again; returns the callback, before the attempt',
      {
        description: 'With the same identifier and body, and with all its retries, whatever its status.',
        errors: ['NOT_FOUND'],
        result: callback,
      },
      ({ param }) => {
        orNotFound(() => callbacks.redeliver(param('eventId')))
        return rowWhere(rows.callbacks, ({ id }) => id === param('eventId'))
      },
    ),
    operation(
      'POST /callbacks/redeliver',
      'Sends again what was given up or not sent',
      {
        description: 'Only those that a search finds, if there is one.',
        body: object('the callbacks to send again', {
          search: z.optional(z.string()),
          status: z.optional(z.string()),
        }),
        example: { search: 'app.example' },
        result: z.object({ redelivered: z.int() }),
      },
      ({ body }) => {
        const ended = endedCallbacks(rows, body)
        for (const { id } of ended) callbacks.redeliver(id)
        return { redelivered: ended.length }
      },
    ),
    operation(
      'POST /callbacks/test',
      'Sends a test event to a callback URL; returns the callback, after its first attempt',
      {
        description: 'A new candidate, who gets no e-mail, passes a quiz. The event is delivered like any other.',
        errors: ['BAD_USER_INPUT', 'NO_QUIZ'],
        body: z.object({ callbackUrl: z.string() }),
        example: { callbackUrl: 'https://app.example/hook' },
        result: callback,
        status: 201,
      },
      async ({ base: linkBase, body: { callbackUrl } }) => {
        const sent = causeTestEvent(mock, internals, { callbackUrl, linkBase })
        await mock.settle()
        return rowWhere(rows.callbacks, ({ inviteId }) => inviteId === sent)
      },
    ),
    operation('GET /callbacks/targets', 'Where callbacks are sent', { result: targets }, () => sender.targets),
    operation(
      'PATCH /callbacks/targets',
      'Changes where callbacks are sent, until a reset',
      {
        description: 'Callbacks that were blocked, and no longer are, are sent again.',
        body: z.partial(targets),
        example: { deliverTo: 'http://localhost:3000' },
        result: targets,
      },
      ({ body }) => {
        sender.setTargets(body)
        for (const { id, url } of callbacks.list({ status: 'blocked' })) {
          if (sender.blockedHost(url) === null) callbacks.redeliver(id)
        }
        changes.note('callbacks')
        return sender.targets
      },
    ),
  ]
}

/** The callbacks that were given up or not sent, of those that a list shows. */
export function endedCallbacks({ callbacks }: MockRows, { search = '', status = '' }: RowQuery) {
  return rowsWith(search, callbacks).filter(
    (event) =>
      (event.status === 'given-up' || event.status === 'blocked') && (status === '' || event.status === status),
  )
}

const address = z.string().check(
  z.refine((text) => /^https?:\/\//.test(text) && URL.canParse(text), {
    error: 'must be an address such as http://localhost:3000',
  }),
)

const targets = object('the targets of callbacks', {
  deliverTo: z
    .nullable(address)
    .check(z.describe('The address to contact instead of the origin of every callbackUrl.')),
  hosts: z.record(address, address).check(z.describe('The origin to contact, by the origin of the callbackUrl.')),
  allow: z.array(z.string()).check(z.describe('The host names that may be contacted besides this machine.')),
})

export function faultOperations({ faults }: MockServer): Operation[] {
  return [
    operation(
      'GET /faults',
      'The fault rules, and how often each was used',
      { result: z.object({ faults: z.array(faultRow) }) },
      () => ({
        faults: faults.list(),
      }),
    ),
    operation(
      'POST /faults',
      'Adds a fault rule',
      {
        description: 'For each request or delivery, only the first rule applies that matches and is not used up.',
        body: z.union([requestRule, callbackRule]),
        isCheckedByMock: true,
        example: { operation: OPERATIONS[0], phase: 'after', fault: 'cut' },
        result: faultRow,
        status: 201,
      },
      ({ body }) => {
        const { id } = faults.add(body)
        return faults.list().find((rule) => rule.id === id)
      },
    ),
    operation('DELETE /faults', 'Removes all fault rules', {}, () => faults.clear()),
    operation('DELETE /faults/{faultId}', 'Removes one fault rule', { errors: ['NOT_FOUND'] }, ({ param }) =>
      orNotFound(() => faults.remove(param('faultId'))),
    ),
  ]
}

export function requestOperations({ requestLog }: MockServer, { rows }: Internals): Operation[] {
  return [
    operation(
      'GET /requests',
      'The requests to the service, newest first',
      {
        description: 'The log has the last 1,000. `dropped` is how many it no longer has.',
        query: object('a list of requests', SEARCH),
        result: z.extend(pageOf(exchange), { dropped: z.int() }),
      },
      ({ query }) => ({ dropped: requestLog.dropped, ...newestFirst(rows.requests, query) }),
    ),
    operation('DELETE /requests', 'Empties the request log', { description: 'The numbering continues.' }, () =>
      requestLog.clear(),
    ),
  ]
}
