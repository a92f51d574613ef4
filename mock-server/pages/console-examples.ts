import type { MockServer } from '../contract/mock-server.ts'
import { examplePackage, exampleQuiz, PACKAGE, QUIZ } from './example-ids.ts'

/** A document that the Console offers, with its variables and credentials. */
export interface Example {
  readonly name: string
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
  readonly credentials: string
  /** The code of the refusal that the documented world answers it with; absent where it answers with data. */
  readonly code?: string
}

/** What the examples, and the form of an invite, send. */
export const CREATE = `mutation Create($input: DeveloperCreateCertificationInviteInput!) {
  developerCreateCertificationInvite(input: $input) {
    inviteId
    challengeUrl
    expiresAt
    emailSent
  }
}`

const CREATE_WITH_EVERY_FIELD = CREATE.replace('inviteId\n', 'inviteId\n    status\n')

export const CREATE_PACKAGE = `mutation CreatePackage($input: DeveloperCreateCertificationPackageInviteInput!) {
  developerCreateCertificationPackageInvite(input: $input) {
    packageName
    invites { skillName inviteId challengeUrl }
  }
}`

const CREATE_PACKAGE_WITH_EVERY_FIELD = `mutation CreatePackage($input: DeveloperCreateCertificationPackageInviteInput!) {
  developerCreateCertificationPackageInvite(input: $input) {
    packageId
    packageName
    invites { quizId skillName level inviteId status challengeUrl expiresAt emailSent }
  }
}`

const TRACKS = `query Tracks($search: String) {
  developerCertificationPackageTracks(search: $search) {
    name
    packages { id name level skills { quizId skillName } }
  }
}`

const TRACKS_WITH_EVERY_FIELD = `query Tracks($search: String, $trackSlug: String) {
  developerCertificationPackageTracks(search: $search, trackSlug: $trackSlug) {
    id
    name
    slug
    packages {
      id
      name
      level
      description
      skills { quizId skillName level durationMinutes enabledLanguages conceptsTested }
    }
  }
}`

const ADA = { name: 'Ada Byron', email: 'ada@example.com' }
const GRACE = { email: 'grace@example.com' }
/* The candidates of the documented world: one holds a certification, one has an attempt in progress. */
const CERTIFIED = { email: 'marta.lindqvist@candidate.test' }
const ATTEMPTING = { email: 'tomasz.okafor@candidate.test' }
const TAKEN_QUIZ = 'quiz_react_beginner_components'

const FULL = 'key full'

/** The examples, with a quiz and a package of this world. */
export function examplesFor(mock: MockServer) {
  const [quizId, packageId] = [exampleQuiz(mock), examplePackage(mock)]
  const fitted = (example: Example): Example => {
    const { input } = example.variables
    const own = {
      ...(Object(input).quizId === QUIZ && { quizId }),
      ...(Object(input).packageId === PACKAGE && { packageId }),
    }
    return input === undefined ? example : { ...example, variables: { input: { ...Object(input), ...own } } }
  }
  const [first, ...more] = OPERATION_EXAMPLES
  return { operations: [fitted(first), ...more.map(fitted)] as const, refusals: REFUSAL_EXAMPLES.map(fitted) }
}

const working = (name: string, query: string, variables: Example['variables']): Example => ({
  name,
  query,
  variables,
  credentials: FULL,
})

/** Requests that the documented world answers with data. The first is the one that the Console begins with. */
export const OPERATION_EXAMPLES: readonly [Example, ...Example[]] = [
  working('Create an invite', CREATE, { input: { quizId: QUIZ, candidate: ADA } }),
  working('Create an invite, with every field', CREATE_WITH_EVERY_FIELD, {
    input: {
      quizId: QUIZ,
      candidate: ADA,
      sendInviteEmail: false,
      externalReference: 'application-4711',
      callbackUrl: 'https://sandbox.callback/hook',
    },
  }),
  working('Create an invite for a whole package', CREATE_PACKAGE, { input: { packageId: PACKAGE, candidate: GRACE } }),
  working('Create an invite for a whole package, with every field', CREATE_PACKAGE_WITH_EVERY_FIELD, {
    input: {
      packageId: PACKAGE,
      candidate: { name: 'Grace Hopper', ...GRACE },
      sendInviteEmail: false,
      callbackUrl: 'https://sandbox.callback/hook',
    },
  }),
  working('List tracks', TRACKS, { search: 'react' }),
  working('List tracks, with every field', TRACKS_WITH_EVERY_FIELD, { search: 'react', trackSlug: 'react' }),
]

const create = (
  name: string,
  input: object,
  { credentials = FULL, code = 'BAD_USER_INPUT' }: { readonly credentials?: string; readonly code?: string } = {},
): Example => ({
  name,
  query: CREATE,
  variables: { input: { quizId: QUIZ, candidate: ADA, ...input } },
  credentials,
  code,
})

const createPackage = (name: string, input: object): Example => ({
  name: `Package: ${name}`,
  query: CREATE_PACKAGE,
  variables: { input: { packageId: PACKAGE, candidate: GRACE, ...input } },
  credentials: FULL,
  code: 'BAD_USER_INPUT',
})

/** One request for each refusal of the documented world. */
export const REFUSAL_EXAMPLES: readonly Example[] = [
  create('The quiz is not READY', { quizId: 'quiz_cloud_intermediate_observability' }),
  create('The candidate has an attempt in progress', { quizId: TAKEN_QUIZ, candidate: ATTEMPTING }),
  create('The candidate holds a valid certification', { quizId: TAKEN_QUIZ, candidate: CERTIFIED }),
  createPackage('a skill is not enabled', { packageId: 'pkg_cloud_operations_intermediate' }),
  createPackage('the candidate has an attempt in progress', { candidate: ATTEMPTING }),
  createPackage('the candidate holds a valid certification', { candidate: CERTIFIED }),
  create('The quiz does not exist', { quizId: 'quiz_unknown' }),
  createPackage('it does not exist', { packageId: 'pkg_unknown' }),
  create('The e-mail address is not valid', { candidate: { email: 'ada at example.com' } }),
  create('The callback URL does not start with https://', { callbackUrl: 'http://sandbox.callback/hook' }),
  create(
    'A callback URL in an admin session',
    { callbackUrl: 'https://sandbox.callback/hook' },
    { credentials: 'admin session' },
  ),
  create('No credentials', {}, { credentials: 'none', code: 'UNAUTHENTICATED' }),
  create('A key that is not known', {}, { credentials: 'unknown key', code: 'UNAUTHENTICATED' }),
  create('An admin session that is not known', {}, { credentials: 'unknown session', code: 'UNAUTHENTICATED' }),
  create('The key may not create invites', {}, { credentials: 'key read', code: 'FORBIDDEN' }),
  {
    name: 'The key may not list tracks',
    query: TRACKS,
    variables: { search: 'react' },
    credentials: 'key invite',
    code: 'FORBIDDEN',
  },
  {
    name: 'The document is not GraphQL',
    query: 'query Tracks {',
    variables: {},
    credentials: FULL,
    code: 'GRAPHQL_PARSE_FAILED',
  },
  {
    name: 'The schema does not have the field',
    query: '{ developerCertificationPackageTracks { colour } }',
    variables: {},
    credentials: FULL,
    code: 'GRAPHQL_VALIDATION_FAILED',
  },
  {
    name: 'A variable is missing',
    query: CREATE,
    variables: { input: { quizId: QUIZ } },
    credentials: FULL,
    code: 'BAD_USER_INPUT',
  },
  {
    name: 'Two operations, and none is chosen',
    query: `query One { developerCertificationPackageTracks { id } }\nquery Two { developerCertificationPackageTracks { slug } }`,
    variables: {},
    credentials: FULL,
    code: 'OPERATION_RESOLUTION_FAILURE',
  },
]
