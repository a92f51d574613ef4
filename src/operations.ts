import { type CertifyError, inputInvalid } from './errors.ts'
import {
  CreateInviteDocument,
  type CreateInviteMutation,
  CreatePackageInviteDocument,
  type CreatePackageInviteMutation,
  PackageTracksDocument,
  type PackageTracksQuery,
  type PackageTracksQueryVariables,
} from './generated/operations.ts'
import type {
  CertificationInvite,
  CertificationPackageInvite as PackageInvite,
  CertificationPackageTrack as PackageTrack,
  DeveloperCreateCertificationInviteInput,
  DeveloperCreateCertificationPackageInviteInput,
} from './generated/schema.ts'
import type { GraphQLRequest, TypedDocument } from './transport/graphql.ts'
import { emailFault } from './util/email-address.ts'
import { parseUrl } from './util/url.ts'
import {
  boolean,
  closedObject,
  isObject,
  isString,
  list,
  matchesGenerated,
  nullable,
  once,
  openObject,
  optional,
  rule,
  type Schema,
  string,
  type Validated,
  validate,
} from './validation.ts'

/** The input of a single invite: one candidate and one quiz. Source: specification, part 2. */
export interface InviteInput extends DeveloperCreateCertificationInviteInput {}

/**
 * The input of a package invite: one candidate and every skill of one package. Source: specification, part 2.
 *
 * It has no `externalReference`: the specification shows none here.
 */
export interface PackageInviteInput extends DeveloperCreateCertificationPackageInviteInput {}

/** The input of any create. */
export type CreateInput = InviteInput | PackageInviteInput

/** Which tracks to list. A track must match every field that is set. Source: specification 4.1. */
export interface TrackFilter {
  /** Text to find in the names of tracks and packages. */
  readonly search?: string | undefined
  /** The slug of one track. */
  readonly trackSlug?: string | undefined
}

/**
 * One operation of the API, with everything that the client, the ledger, the hints and the CLI need. Its result is the
 * value of its field in the response.
 */
export interface Operation<Input, Result> extends GraphQLRequest<Result> {
  readonly field: string
  /** The scope that a key needs. Source: specification, part 5. */
  readonly scope: `CERTIFICATION_${string}`
  /** Checks a caller's input. */
  readonly input: () => Schema<Input>
  readonly variables: (input: Input) => object
}

/* Functions, not schemas: each schema takes time to make, and most programs need few. First, what results have. */

/** A descriptive text in a response. */
const nullableText = () => nullable(string())

/** An identifier, which callers act on. */
const notBlank = () => string(rule((value) => value.trim() !== '', 'must not be blank'))

/** Whether a value can be the identifier of an invite. It is recorded and shown, so it has a limit. */
export const isInviteId = (value: unknown): value is string =>
  isString(value) && value.length <= MAX_ID_LENGTH && value.trim() !== ''

const MAX_ID_LENGTH = 1024

const strings = () =>
  nullable(
    rule<readonly string[]>((value) => Array.isArray(value) && value.every(isString), 'must be a list of strings'),
  )

const inviteFields = () => ({
  inviteId: string(rule(isInviteId, `must not be blank, and have at most ${MAX_ID_LENGTH} characters`)),
  status: nullableText(),
  challengeUrl: string(rule(isLink, 'must be a valid http or https URL')),
  expiresAt: nullable(rule<string>(isTime, 'must be a time in ISO 8601')),
  emailSent: nullable(boolean()),
})

/** Whether a value is a time in ISO 8601, as in `2030-01-15T00:00:00Z`. */
export function isTime(value: unknown): value is string {
  /* `Date.parse` alone would also accept `1`, as a date in 2001. */
  return isString(value) && value.length <= 40 && ISO_TIME.test(value) && !Number.isNaN(Date.parse(inUtc(value)))
}

/* RFC 3339 also allows a blank and lower case. */
const ISO_TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/i

/** A time of the service in strict ISO 8601. By the specification it is in UTC; `Date` would take one without a zone for local time. */
export function inUtc(time: string): string {
  const [, day, clock, zone = 'Z'] = /^(\d{4}-\d\d-\d\d)[t ]([\d:.]+)(z|[+-][\d:]+)?$/i.exec(time) ?? []
  return day === undefined ? time : `${day}T${clock}${zone.toUpperCase()}`
}

const skill = () =>
  openObject({
    quizId: string(),
    skillName: nullableText(),
    level: nullableText(),
    durationMinutes: nullable(rule<number>((value) => typeof value === 'number', 'must be a number')),
    enabledLanguages: strings(),
    conceptsTested: strings(),
  })

const trackPackage = () =>
  openObject({
    id: string(),
    name: nullableText(),
    level: nullableText(),
    description: nullableText(),
    skills: list(skill()),
  })

const packageTrack = () =>
  openObject({ id: string(), name: nullableText(), slug: string(), packages: list(trackPackage()) })

/* What inputs have. */

const optionalText = () => optional(rule<string>(isString, 'must be a string, or be left out'))

const recipientFields = () => ({
  candidate: closedObject({
    name: optionalText(),
    email: string(
      rule(
        (value) => emailFault(value) === undefined,
        (value) => `must be a valid e-mail address: it ${emailFault(value)}`,
      ),
    ),
  }),
  sendInviteEmail: optional(boolean('must be true or false, or be left out')),
})

/* Servers and proxies refuse longer ones, and parsing a URL may take quadratic time. */
const MAX_URL_LENGTH = 8192

/** Whether a value can be sent as a `callbackUrl`. */
export const isCallbackUrl = (value: unknown): value is string => isLink(value) && value.startsWith('https://')

export const NO_CALLBACK_URL: string = `must be a valid URL that starts with https://, of at most ${MAX_URL_LENGTH} characters`

/** Whether a value can be opened as a link: it is shown, clicked and e-mailed. */
export function isLink(value: unknown): value is string {
  if (!isString(value) || value.length > MAX_URL_LENGTH || /[\s\p{Cc}]/u.test(value)) return false
  return /^https?:$/.test(parseUrl(value)?.protocol ?? '')
}

const callbackUrl = () => optional(string(rule(isCallbackUrl, NO_CALLBACK_URL)))

/** Lists package tracks. Source: specification 4.1. */
export const listTracks: Operation<TrackFilter, readonly PackageTrack[]> = {
  name: 'tracks.list',
  kind: 'query',
  field: 'developerCertificationPackageTracks',
  scope: 'CERTIFICATION_PACKAGE_READ',
  document: PackageTracksDocument,
  input: once(() =>
    matchesGenerated<PackageTracksQueryVariables>()(
      closedObject({ search: optionalText(), trackSlug: optionalText() }),
    ),
  ),
  variables: (filter) => filter,
  data: once(() =>
    matchesGenerated<PackageTracksQuery>()(openObject({ developerCertificationPackageTracks: list(packageTrack()) })),
  ),
}

/** Which tracks the harmless query lists: no track has this slug, so its response is small, and it changes nothing. */
export const NO_TRACK: TrackFilter = { trackSlug: '-' }

/** The same operation for one track. */
export const getTrack: Operation<{ readonly slug: string }, readonly PackageTrack[]> = {
  ...listTracks,
  name: 'tracks.get',
  input: once(() => closedObject({ slug: notBlank() })),
  variables: ({ slug }) => ({ trackSlug: slug }),
}

/** Creates one invite. Source: specification 4.2; the reasons: part 7. */
export const createInvite: Operation<InviteInput, CertificationInvite> = {
  name: 'invites.create',
  kind: 'mutation',
  field: 'developerCreateCertificationInvite',
  scope: 'CERTIFICATION_INVITE_CREATE',
  document: CreateInviteDocument,
  input: once(() =>
    matchesGenerated<DeveloperCreateCertificationInviteInput>()(
      closedObject({
        quizId: notBlank(),
        ...recipientFields(),
        externalReference: optionalText(),
        callbackUrl: callbackUrl(),
      }),
    ),
  ),
  variables: (input) => ({ input }),
  data: once(() =>
    matchesGenerated<CreateInviteMutation>()(
      openObject({ developerCreateCertificationInvite: openObject(inviteFields()) }),
    ),
  ),
  possibleReasons: [
    'the quiz is not READY (enabled) at the moment',
    'the candidate has an attempt in progress for this quiz',
    'the candidate has a certification for this quiz that is valid now',
  ],
}

const packageInvite = () => {
  const skillInvite = openObject({
    quizId: string(),
    skillName: nullableText(),
    level: nullableText(),
    ...inviteFields(),
  })
  return openObject({
    packageId: string(),
    packageName: nullableText(),
    /* A package in a response has skills, and each gets an invite. */
    invites: list(
      skillInvite,
      rule(({ length }: unknown[]) => length > 0, 'must not be empty'),
    ),
  })
}

/** Creates one invite for every skill of a package, or none. Source: specification 4.3; the reasons: part 7. */
export const createPackageInvite: Operation<PackageInviteInput, PackageInvite> = {
  name: 'packageInvites.create',
  kind: 'mutation',
  field: 'developerCreateCertificationPackageInvite',
  scope: 'CERTIFICATION_INVITE_CREATE',
  document: CreatePackageInviteDocument,
  input: once(() =>
    matchesGenerated<DeveloperCreateCertificationPackageInviteInput>()(
      closedObject({ packageId: notBlank(), ...recipientFields(), callbackUrl: callbackUrl() }),
    ),
  ),
  variables: (input) => ({ input }),
  data: once(() =>
    matchesGenerated<CreatePackageInviteMutation>()(
      openObject({ developerCreateCertificationPackageInvite: packageInvite() }),
    ),
  ),
  possibleReasons: [
    'the candidate has an attempt in progress, or a certification that is valid now, for a skill of the package',
    'a skill of the package is no longer enabled',
  ],
  isOwn: ({ packageId }, { input }: { readonly input: PackageInviteInput }) =>
    packageId.trim() === input.packageId.trim(),
}

/** The operation that sends an input. What is not an input is checked as a single invite. */
export function createOf(input: unknown): Operation<CreateInput, CertificationInvite | PackageInvite> {
  const isPackage = isObject(input) && 'packageId' in input
  return (isPackage ? createPackageInvite : createInvite) as Operation<CreateInput, CertificationInvite | PackageInvite>
}

/** How a client authenticates. In an admin session there are no callbacks. Source: specification, part 5. */
export type Authentication = 'api-key' | 'admin-session'

/** Checks a caller's input. */
export function checkInput<Input>(
  { input }: Operation<Input, unknown>,
  given: unknown,
  authentication: Authentication,
): Validated<Input> {
  const checked = validate(input(), given)
  if (authentication === 'api-key' || Object(given).callbackUrl === undefined) return checked
  const others = (checked.issues ?? []).filter(({ path }) => path !== 'callbackUrl')
  return { issues: [...others, { path: 'callbackUrl', rule: 'cannot be set in an admin session; use an API key' }] }
}

/** Reads a caller's own document. @throws CertifyError INPUT_INVALID, outcome `not-executed` */
export function readDocument<Data>(given: string | TypedDocument<Data, never>): GraphQLRequest<Data> {
  /* Generated documents are String objects, perhaps from another realm. */
  const text: unknown = Object.prototype.toString.call(given) === '[object String]' ? given.toString() : given
  if (typeof text !== 'string' || text.trim() === '') {
    throw refuse('document', 'must be a GraphQL document as a string; see print()')
  }
  /* A mutation unless it is certainly a query: no failure is wrongly reported as `not-executed`. */
  const isQuery = /^\s*(query\b|\{)/.test(text) && !/\b(mutation|subscription)\b/.test(text)
  return { name: 'request', kind: isQuery ? 'query' : 'mutation', document: text }
}

/** A copy: the caller may change its object during the call. @throws CertifyError INPUT_INVALID, outcome `not-executed` */
export function readVariables(given: object = {}): object {
  const copy = throughJson(given)
  if (isObject(copy)) return copy
  throw refuse('variables', 'must be an object that can be written as JSON')
}

function throughJson(value: object): unknown {
  try {
    return JSON.parse(JSON.stringify(value))
  } catch {
    return undefined
  }
}

function refuse(path: string, broken: string): CertifyError {
  return inputInvalid('request', [{ path, rule: broken }])
}
