import * as z from 'zod/mini'
import { OPERATIONS, type OperationName } from '../generated/operations.ts'
import { EVENT_TYPES } from '../world/events.ts'
import { CALLBACK_STATUSES } from './rows.ts'
import { object, typedAs } from './validation.ts'

/* What a wait may ask for: in code, and in a query string of the control API. */

/** The time-out of a wait that sets none, in milliseconds. */
export const DEFAULT_WAIT_MS = 5000

const LONGEST_WAIT_MS = 600_000

const NO_URL =
  'to is a callbackUrl or its beginning, such as https://app.example; the address of the candidate is email'

export const mailWait = object(
  'a wait for an e-mail',
  {
    to: text('to', 'The address that it is sent to, compared as the switch `candidateIdentity` says. Default: any.'),
    after: text('after', 'The `inviteId` of a known e-mail: only later ones count.'),
    timeoutMs: timeoutMs(),
  },
  'Which e-mail to wait for, and how long.',
)

export const callbackWait = object(
  'a wait for a callback',
  {
    type: choice('type', EVENT_TYPES, 'The type of its event, such as `certification.completed`.'),
    inviteId: text('inviteId', 'The invite of its event.'),
    email: text('email', 'The address of its candidate, compared as the switch `candidateIdentity` says.'),
    to: z.optional(
      z.string(NO_URL).check(
        z.refine((to) => /^https?:\/\//i.test(to), NO_URL),
        z.describe('The `callbackUrl` that it is sent to, or its beginning.'),
      ),
    ),
    status: choice(
      'status',
      CALLBACK_STATUSES,
      'Its status; `delivered` waits until it is acknowledged. Default: any.',
    ),
    after: text('after', 'The `id` of a known callback: only later ones count.'),
    timeoutMs: timeoutMs(),
  },
  'Which callback to wait for, and how long.',
)

export const requestWait = object(
  'a wait for a request',
  {
    operation: z.optional(
      typedAs<OperationName>(
        'OperationName',
        z
          .enum(OPERATIONS, `operation is one of ${OPERATIONS.join(', ')}`)
          .check(z.describe('An operation that the request selects.')),
      ),
    ),
    status: whole('status', 'a status of HTTP', [100, 599], 'The HTTP status of its response.'),
    after: whole(
      'after',
      'the number of a request',
      [0, 2 ** 31],
      'The `number` of a known request: only later ones count.',
    ),
    timeoutMs: timeoutMs(),
  },
  'Which request to wait for, and how long.',
)

function text(name: string, description: string) {
  return z.optional(z.string(`${name} is a text`).check(z.describe(description)))
}

function choice<const Values extends readonly string[]>(name: string, values: Values, description: string) {
  return z.optional(z.enum(values, `${name} is one of ${values.join(', ')}`).check(z.describe(description)))
}

function whole(name: string, what: string, [least, most]: readonly [number, number], description: string) {
  const error = `${name} is ${what}, a whole number`
  return z.optional(z.int(error).check(z.gte(least, error), z.lte(most, error), z.describe(description)))
}

function timeoutMs() {
  const error = ({ input }: { readonly input?: unknown }): string =>
    `timeoutMs is a number from 0 to ${LONGEST_WAIT_MS}, not ${String(input)}`
  const checks = [z.gte(0, { error }), z.lte(LONGEST_WAIT_MS, { error })]
  const description = 'How long to wait, in milliseconds of real time, at most 600,000.'
  return z.optional(
    z.number({ error }).check(...checks, z.meta({ description, type: 'integer', default: DEFAULT_WAIT_MS })),
  )
}
