import * as z from 'zod/mini'
import { CALLBACK_STATUSES } from '../contract/callbacks.ts'
import { object } from './error-messages.ts'

/** The time-out of a wait that sets none, in milliseconds. */
export const DEFAULT_WAIT_MS = 5000

const LONGEST_WAIT_MS = 600_000

const NO_URL =
  'to is a callbackUrl or its beginning, such as https://app.example; the address of the candidate is email'

/* What a wait may ask for: in code, and in a query string of the control API. */

export const mailWait = object('a wait for an e-mail', {
  to: text('to', 'The address that the e-mail is sent to.'),
  after: text('after', 'The `inviteId` of a known e-mail: only later ones count.'),
  timeoutMs: timeoutMs(),
})

export const callbackWait = object('a wait for a callback', {
  type: text('type', 'The type of its event, such as `certification.completed`.'),
  inviteId: text('inviteId', 'The invite of its event.'),
  email: text('email', 'The e-mail address of its candidate.'),
  to: z.optional(
    z.string(NO_URL).check(
      z.refine((to) => /^https?:\/\//i.test(to), NO_URL),
      z.describe('The `callbackUrl` that it is sent to, or its beginning.'),
    ),
  ),
  status: z.optional(
    z
      .enum(CALLBACK_STATUSES, `status is one of ${CALLBACK_STATUSES.join(', ')}`)
      .check(z.describe('Its status; `delivered` waits until it is acknowledged. Default: any.')),
  ),
  after: text('after', 'The `id` of a known callback: only later ones count.'),
  timeoutMs: timeoutMs(),
})

export function requestWait(operations: readonly string[]) {
  return object('a wait for a request', {
    operation: z.optional(
      z
        .enum(operations, `operation is one of ${operations.join(', ')}`)
        .check(z.describe('An operation that the request selects.')),
    ),
    status: whole('status', 'a status of HTTP', [100, 599], 'The HTTP status of its response.'),
    after: whole(
      'after',
      'the number of a request',
      [0, 2 ** 31],
      'The `number` of a known request: only later ones count.',
    ),
    timeoutMs: timeoutMs(),
  })
}

function text(name: string, description: string) {
  return z.optional(z.string(`${name} is a text`).check(z.describe(description)))
}

function whole(name: string, what: string, [least, most]: readonly [number, number], description: string) {
  const error = `${name} is ${what}, a whole number`
  return z.optional(z.int(error).check(z.gte(least, error), z.lte(most, error), z.describe(description)))
}

function timeoutMs() {
  const error = ({ input }: { readonly input?: unknown }): string =>
    `timeoutMs is a number from 0 to ${LONGEST_WAIT_MS}, not ${String(input)}`
  const checks = [z.gte(0, { error }), z.lte(LONGEST_WAIT_MS, { error })]
  const description = 'How long to wait, in milliseconds of real time.'
  return z.optional(
    z.number({ error }).check(...checks, z.meta({ description, type: 'integer', default: DEFAULT_WAIT_MS })),
  )
}
