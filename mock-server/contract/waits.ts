import * as z from 'zod/mini'
import { EVENT_TYPES } from '../world/events.ts'
import { CALLBACK_STATUSES } from './rows.ts'
import { object, optionalText } from './validation.ts'

/* What a wait may ask for: in code, and in a query string of the control API. */

/** The time-out of a wait that sets none, in milliseconds. */
export const DEFAULT_WAIT_MS = 5000

const LONGEST_WAIT_MS = 600_000

const timeoutMs = z.optional(
  z.number().check(
    z.gte(0),
    z.lte(LONGEST_WAIT_MS),
    z.meta({
      description: 'How long to wait, in milliseconds of real time, at most 600,000.',
      type: 'integer',
      default: DEFAULT_WAIT_MS,
    }),
  ),
)

export const mailWait = object(
  'a wait for an e-mail',
  {
    to: optionalText('The address that it is sent to, compared as the switch `candidateIdentity` says. Default: any.'),
    after: optionalText('The `inviteId` of a known e-mail: only later ones count.'),
    timeoutMs,
  },
  'Which e-mail to wait for, and how long.',
)

export const callbackWait = object(
  'a wait for a callback',
  {
    type: z.optional(z.enum(EVENT_TYPES).check(z.describe('The type of its event.'))),
    inviteId: optionalText('The invite of its event.'),
    email: optionalText('The address of its candidate, compared as the switch `candidateIdentity` says.'),
    status: z.optional(
      z
        .enum(CALLBACK_STATUSES)
        .check(z.describe('Its status; `delivered` waits until it is acknowledged. Default: any.')),
    ),
    after: optionalText('The `id` of a known callback: only later ones count.'),
    timeoutMs,
  },
  'Which callback to wait for, and how long.',
)
