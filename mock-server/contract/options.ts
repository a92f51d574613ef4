import * as z from 'zod/mini'
import type { Moment } from '../world/clock.ts'
import { EVENT_TYPES } from '../world/events.ts'
import { someBehaviour } from './behaviour.ts'
import { MAX_TIMER_MS } from './limits.ts'
import type { MockRequest, MockResponse } from './fetch-types.ts'
import { CALLBACK_STATUSES } from './rows.ts'
import { described, functionAs, object, optional, optionalText, parseWith, typedAs } from './validation.ts'
import type { world } from './world.ts'

const texts = (description: string) => optional(z.array(z.string()), description)

type Deliver = (request: MockRequest) => MockResponse | Promise<MockResponse>

export const callbackOptions = object(
  'callbacks',
  {
    deliver: described(
      z.optional(functionAs<Deliver>('((request: MockRequest) => MockResponse | Promise<MockResponse>)')),
      "Handles every callback instead of the network, like an application's own route handler. Any 2xx acknowledges.",
    ),
    hosts: optional(
      z.record(z.string(), z.string()).check(areOrigins),
      "Maps the origin of a `callbackUrl` to the origin that is contacted instead: `{ 'https://app.example': 'http://127.0.0.1:3000' }`.",
    ),
    allow: texts(
      'The host names that may be contacted besides loopback addresses and names that end with `.localhost`. Callbacks to any other host are blocked.',
    ),
    timeoutMs: optional(
      z.number().check(z.gte(0), z.lte(MAX_TIMER_MS)),
      'The time-out of an attempt, in milliseconds of real time. Default 10,000.',
    ),
  },
  'How callbacks reach the application under test. A `callbackUrl` is https, and such an application seldom is: map its host, or handle the events in the test itself. Callbacks to `https://sandbox.callback/…` need neither: the mock answers them with 200 and keeps them.',
)

const WORLD =
  'The data that the world begins with, as in a file of `certify mock --world`. The option `behaviour` overrides its switches.'

export const mockOptions = object(
  'the mock',
  {
    baseUrl: optionalText(
      'The address of the mock in process, including a path prefix. Default `https://certify.test`.',
    ),
    seed: optionalText(
      'Identifiers are derived from it: with the same seed, the same candidate and quiz have the same ones. Default `certify`.',
    ),
    // Checked separately, so that its problems have places.
    world: z.optional(typedAs<z.output<typeof world>>('MockWorld', z.unknown().check(z.describe(WORLD)))),
    behaviour: z.optional(someBehaviour),
    now: z.optional(
      typedAs<Moment>(
        'Moment',
        z
          .union([z.string(), z.number(), z.date()], 'must be a time')
          .check(
            z.describe('Freezes the clock at this time from the beginning. By default the clock follows real time.'),
          ),
      ),
    ),
    callbacks: z.optional(callbackOptions),
  },
  'The options of a mock. All are optional.',
)

export const listenOptions = object(
  'these options',
  {
    port: optional(z.number(), 'The port. 0, the default, chooses a free one.'),
    host: optionalText('The host to bind to. Default `127.0.0.1`.'),
    control: optional(
      z.boolean(),
      'Whether the page and the control API are served. Default `true`. The endpoint and the challenge links always are.',
    ),
    allowHosts: texts(
      'Host names, without a port, under which the page and the control API answer, besides loopback names and `host` itself: `mock`, for a container of that name. The endpoint answers under any name.',
    ),
    controlToken: optionalText(
      'The token that the control API and the page require: as a bearer token, or as the password of basic authentication, which a browser asks for. Default: none.',
    ),
  },
  'Where to listen.',
)

export const sessionOptions = object(
  'these options',
  {
    id: optionalText(
      'At most 32 lower-case letters, digits and hyphens; its keys end with it. Default: derived from the seed.',
    ),
  },
  'The options of a session.',
)

/** Throws one error that names every unknown option and every wrong value; the world is checked separately. */
export function assertOptions(options: unknown): void {
  parseWith(mockOptions, options, 'These options are not valid')
}

function areOrigins({ value, issues }: z.core.ParsePayload<Record<string, string>>): void {
  const refuse = (origin: string, example: string): void => {
    if (/^https?:\/\//.test(origin) && URL.canParse(origin)) return
    const message = `callbacks.hosts: ${JSON.stringify(origin)} is not an origin such as ${example}`
    issues.push({ code: 'custom', input: origin, message })
  }
  for (const [from, to] of Object.entries(value)) {
    refuse(from, 'https://app.example')
    refuse(to, 'http://127.0.0.1:3000')
  }
}

/* What a wait may ask for: in code, and in a query string of the control API. */

/** The time-out of a wait that sets none, in milliseconds. */
export const DEFAULT_WAIT_MS = 5000

const MAX_WAIT_MS = 600_000

const timeoutMs = z.optional(
  z.number().check(
    z.gte(0),
    z.lte(MAX_WAIT_MS),
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
