import * as z from 'zod/mini'
import type { BehaviourSwitches } from '../generated/contract.ts'
import { SCOPES } from '../world/model.ts'
import { scope } from './rows.ts'
import { described, durationSchema, object, parseWith, typedAs } from './validation.ts'

const requests = z.int().check(z.gte(0), z.describe('How many requests.'))

/* Everything that the specification leaves open, one switch each. The first setting of a switch is its default. */

const SWITCHES = {
  candidateIdentity: oneOf(
    ['normalised-email', 'exact-email'],
    'Which addresses are the same candidate: `normalised-email`, equal after trimming and lower-casing; `exact-email`, equal as written. `+tags` are kept, and the name is ignored.',
  ),
  candidateName: oneOf(['optional', 'required'], 'Whether a create needs `candidate.name` (blank counts as missing).'),
  pendingInvite: oneOf(
    ['allow', 'refuse', 'return-existing'],
    'What a second create for the same candidate and quiz does while the first invite is PENDING and its link is open. `allow`: creates a second invite and sends a second e-mail; `refuse`: BAD_USER_INPUT; `return-existing`: returns the first of the open invites and sends no e-mail.',
  ),
  certificationValidity: setting(
    z.union(
      [z.literal(['two-years', 'never-expires']), durationSchema()],
      "must be two-years, never-expires, or a length of time such as '90d'",
    ),
    'two-years',
    "How long a certification stays valid after passing: `two-years` of the calendar, `never-expires`, or a duration such as `'90d'`. It is valid while now < its end.",
  ),
  unknownIdCode: oneOf(['BAD_USER_INPUT', 'NOT_FOUND'], 'The code for an unknown `quizId` or `packageId`.'),
  nullDescriptions: oneOf(
    ['never', 'always'],
    'Whether the fields that only describe are null in responses: names, levels, `description`, `durationMinutes`, `enabledLanguages`, `conceptsTested`, `status`, `expiresAt` and `emailSent`.',
  ),
  invalidInputCode: setting(
    z.string().check(z.minLength(1)),
    'BAD_USER_INPUT',
    'The code for an invalid e-mail address, a `callbackUrl` that is not an https:// URL, and a `callbackUrl` in an admin session.',
  ),
  unauthenticatedResponse: oneOf(
    ['graphql-200', 'graphql-401', 'html-401', 'graphql-200-without-code'],
    'The response to a request with no key or an unknown one: a GraphQL error UNAUTHENTICATED with HTTP 200 or 401, an HTML page with HTTP 401, or a GraphQL error without a code with HTTP 200.',
  ),
  forbiddenResponse: oneOf(
    ['graphql-200', 'graphql-403', 'html-403', 'graphql-200-without-code'],
    'The same for a caller without the scope: FORBIDDEN, and HTTP 403 instead of 401.',
  ),
  errorCodePlace: oneOf(
    ['extensions', 'top-level', 'none'],
    "The place of an error's code: `errors[].extensions.code`, `errors[].code`, or none.",
  ),
  errorStatus: oneOf([200, 400], 'The HTTP status of a GraphQL response with any other error.'),
  refusedData: oneOf(
    ['null', 'partial'],
    'The `data` of a refused operation. `null`: no data at all; `partial`: an object in which the refused operation is null, while others in the same request keep their results.',
  ),
  rateLimit: setting(
    z.union(
      [z.literal('none'), z.object({ requests, per: durationSchema('The period.') })],
      "must be none, or an object such as { requests: 10, per: '1m' }",
    ),
    'none',
    "How many requests a key, or a session, may send in a period; then HTTP 429 with `retry-after`. The world's clock measures the period: while it is frozen, the period does not end.",
  ),
  callbackRetries: setting(
    z.array(durationSchema()),
    ['1s', '5s', '30s', '5m', '1h'],
    'The delay before each retry of a callback that was not acknowledged.',
  ),
  internationalEmail: oneOf(
    ['refuse', 'accept'],
    'Whether an address with letters outside ASCII is valid (RFC 6531, internationalised domain names).',
  ),
  sessionScopes: setting(
    z.union([z.literal('all'), z.array(scope)], `must be all, or a list of ${SCOPES.join(', ')}`),
    'all',
    'The scopes of an admin session.',
  ),
}

/** Every switch. */
export const behaviour = object(
  'behaviour',
  SWITCHES,
  'Everything that the specification leaves open, one switch each. The defaults are choices, not facts about the service: software that works under every setting works whatever the service does.',
)

/** Some switches, as options and files set them. */
export const someBehaviour = typedAs<Partial<BehaviourSwitches>>(
  'Partial<BehaviourSwitches>',
  described(z.partial(behaviour), 'Switches for what the specification leaves open.'),
)

/** The names of the switches. */
export const SWITCH_NAMES = Object.keys(SWITCHES) as readonly (keyof typeof SWITCHES)[]

const DEFAULTS = Object.fromEntries(
  Object.entries(behaviour.shape).map(([name, schema]) => [name, z.globalRegistry.get(schema)?.['default']]),
) as unknown as BehaviourSwitches

/** Every behaviour switch: its own setting, or the one of `others`. */
export function switchesWith(set: Partial<BehaviourSwitches>, others: BehaviourSwitches = DEFAULTS): BehaviourSwitches {
  parseWith(someBehaviour, set, 'These switches are not valid')
  const given: readonly [string, unknown][] = Object.entries(set)
  return structuredClone({ ...others, ...Object.fromEntries(given.filter(([, value]) => value !== undefined)) })
}

function oneOf<const Values extends readonly (string | number)[]>(values: Values, description: string) {
  const [byDefault] = values
  return z.literal(values).check(z.meta({ description, ...(byDefault !== undefined && { default: byDefault }) }))
}

/** A switch whose settings cannot be listed. */
function setting<Schema extends z.ZodMiniType>(schema: Schema, byDefault: z.output<Schema>, description: string) {
  return schema.check(z.meta({ description, default: byDefault }))
}
