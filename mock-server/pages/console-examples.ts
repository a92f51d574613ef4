import create from '../../operations/create-invite.graphql?raw'
import createPackage from '../../operations/create-package-invite.graphql?raw'
import listTracks from '../../operations/package-tracks.graphql?raw'
import type { MockServer } from '../contract/mock-server.ts'

/* The quiz and the package in the snippets and in the examples of the Console. */

const QUIZ = 'quiz_react_beginner_state'
const PACKAGE = 'pkg_react_beginner'

/** The quiz of the documentation; if this world cannot deliver it, the first that is READY. */
export function exampleQuiz({ quizzes }: MockServer): string {
  return chosen(
    quizzes.filter(({ ready }) => ready),
    QUIZ,
  )
}

/** The package of the documentation; if this world cannot deliver it, the first that it can. */
function examplePackage({ tracks }: MockServer): string {
  return chosen(
    tracks.flatMap(({ packages }) => packages).filter(({ deliverable }) => deliverable),
    PACKAGE,
  )
}

function chosen(usable: readonly { readonly id: string }[], documented: string): string {
  const { id } = usable.find((each) => each.id === documented) ?? usable[0] ?? { id: documented }
  return id
}

/** A document that the Console offers, with its variables and credentials. */
export interface Example {
  readonly name: string
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
  readonly credentials: string
  /** The code with which the default world refuses it; absent if it responds with data. */
  readonly code?: string
}

/* The documents that the SDK sends. */
export const CREATE: string = create.trim()
export const CREATE_PACKAGE: string = createPackage.trim()
const TRACKS = listTracks.trim()

const ADA = { name: 'Ada Byron', email: 'ada@example.com' }
const GRACE = { email: 'grace@example.com' }
/* The candidates of the default world: one holds a certification, one has an attempt in progress. */
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

/** Requests that the default world answers with data. The first is the one that the Console begins with. */
export const OPERATION_EXAMPLES: readonly [Example, ...Example[]] = [
  working('Create an invite', CREATE, { input: { quizId: QUIZ, candidate: ADA } }),
  working('Create an invite, with every field', CREATE, {
    input: {
      quizId: QUIZ,
      candidate: ADA,
      sendInviteEmail: false,
      externalReference: 'application-4711',
      callbackUrl: 'https://sandbox.callback/hook',
    },
  }),
  working('Create an invite for a whole package', CREATE_PACKAGE, {
    input: { packageId: PACKAGE, candidate: GRACE, callbackUrl: 'https://sandbox.callback/hook' },
  }),
  working('List tracks', TRACKS, { search: 'react', trackSlug: 'react' }),
]

/** A request that the default world refuses, with the code of the refusal. */
const refused = (name: string, input: object, code = 'BAD_USER_INPUT', credentials = FULL): Example => ({
  name,
  query: CREATE,
  variables: { input: { quizId: QUIZ, candidate: ADA, ...input } },
  credentials,
  code,
})

const misread = (name: string, query: string, code: string): Example => ({
  name,
  query,
  variables: {},
  credentials: FULL,
  code,
})

/** The refusals that a client meets first. */
export const REFUSAL_EXAMPLES: readonly Example[] = [
  refused('The quiz is not READY', { quizId: 'quiz_cloud_intermediate_observability' }),
  refused('The candidate has an attempt in progress', { quizId: TAKEN_QUIZ, candidate: ATTEMPTING }),
  refused('The candidate holds a valid certification', { quizId: TAKEN_QUIZ, candidate: CERTIFIED }),
  refused('The quiz does not exist', { quizId: 'quiz_unknown' }),
  refused('The e-mail address is not valid', { candidate: { email: 'ada at example.com' } }),
  refused('The callback URL does not start with https://', { callbackUrl: 'http://sandbox.callback/hook' }),
  refused('No credentials', {}, 'UNAUTHENTICATED', 'none'),
  refused('A key that is not known', {}, 'UNAUTHENTICATED', 'unknown key'),
  refused('The key may not create invites', {}, 'FORBIDDEN', 'key read'),
  misread('The document is not GraphQL', 'query Tracks {', 'GRAPHQL_PARSE_FAILED'),
  misread(
    'The schema does not have the field',
    '{ developerCertificationPackageTracks { colour } }',
    'GRAPHQL_VALIDATION_FAILED',
  ),
]
