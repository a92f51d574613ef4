import type { MockServer } from '../../mock-server/contract/mock-server.ts'
import type { MockChallenge } from '../../mock-server/contract/members.ts'

/** A quiz of the default world in which nobody has a history, and a package that contains it. */
export const QUIZ = 'quiz_react_beginner_state'
export const PACKAGE = 'pkg_react_beginner'
export const PACKAGE_QUIZZES = [
  'quiz_react_beginner_components',
  'quiz_react_beginner_state',
  'quiz_javascript_beginner',
]
export const CERTIFIED = 'marta.lindqvist@candidate.test'
export const INES = { name: 'Inês Duarte', email: 'ines.duarte@candidate.test' }

export const HOOK = 'https://app.example/hook'

export const TRACKS = `query ($search: String, $trackSlug: String) {
  developerCertificationPackageTracks(search: $search, trackSlug: $trackSlug) {
    id name slug
    packages { id name level description
      skills { quizId skillName level durationMinutes enabledLanguages conceptsTested } }
  }
}`
export const CREATE = `mutation ($input: DeveloperCreateCertificationInviteInput!) {
  developerCreateCertificationInvite(input: $input) { inviteId status challengeUrl expiresAt emailSent }
}`
export const CREATE_PACKAGE = `mutation ($input: DeveloperCreateCertificationPackageInviteInput!) {
  developerCreateCertificationPackageInvite(input: $input) {
    packageId packageName
    invites { quizId skillName level inviteId status challengeUrl expiresAt emailSent }
  }
}`

export interface Invite {
  inviteId: string
  status: string
  challengeUrl: string
  expiresAt: string
  emailSent: boolean
}

export interface PackageInvite {
  packageId: string
  packageName: string
  invites: (Invite & { quizId: string; skillName: string; level: string })[]
}

export interface Track {
  id: string
  name: string
  slug: string
  packages: { id: string; name: string; level: string; skills: { quizId: string; level: string }[] }[]
}

export interface Answer {
  status: number
  type: string | null
  text: string
  /** `undefined` if the body is not JSON. */
  body: { data?: Record<string, unknown> | null; errors?: Failure[] } | undefined
}

export interface Failure {
  message: string
  code?: string
  path?: (string | number)[]
  extensions?: { code?: string }
}

/** Sends any body. */
export async function post(mock: MockServer, body: string, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await mock.fetch(mock.endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': keyOf(mock, 'full'), ...headers },
    body,
  })
  return answerOf(response)
}

/** Sends a document with the key `full`. */
export function ask(mock: MockServer, query: string, variables: object = {}): Promise<Answer> {
  return post(mock, JSON.stringify({ query, variables }))
}

/** Sends a document with exactly these credentials. */
export async function askAs(
  mock: MockServer,
  credentials: Record<string, string>,
  query: string,
  variables: object = {},
): Promise<Answer> {
  const response = await mock.fetch(mock.endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...credentials },
    body: JSON.stringify({ query, variables }),
  })
  return answerOf(response)
}

export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text()
  const type = response.headers.get('content-type')
  return { status: response.status, type, text, body: type?.includes('json') ? JSON.parse(text) : undefined }
}

export function keyOf(mock: MockServer, name: string): string {
  const found = mock.apiKeys.find((key) => key.name === name)
  if (!found) throw new Error(`no key ${name}`)
  return found.key
}

/** Creates an invite that must succeed. */
export async function invite(mock: MockServer, input: object = {}): Promise<Invite> {
  const answer = await ask(mock, CREATE, { input: { quizId: QUIZ, candidate: INES, ...input } })
  return field(answer, 'developerCreateCertificationInvite') as Invite
}

/** Creates an invite, and opens its link as its candidate does. */
export async function openOne(mock: MockServer, input: object = {}): Promise<MockChallenge> {
  return mock.open((await invite(mock, input)).challengeUrl)
}

/** As {@link openOne}. Its events go to {@link HOOK}. */
export function openHooked(mock: MockServer, input: object = {}): Promise<MockChallenge> {
  return openOne(mock, { callbackUrl: HOOK, ...input })
}

/** Creates a package invite that must succeed. */
export async function invitePackage(mock: MockServer, input: object = {}): Promise<PackageInvite> {
  const answer = await ask(mock, CREATE_PACKAGE, { input: { packageId: PACKAGE, candidate: INES, ...input } })
  return field(answer, 'developerCreateCertificationPackageInvite') as PackageInvite
}

export async function listTracks(mock: MockServer, filter: object = {}): Promise<Track[]> {
  return field(await ask(mock, TRACKS, filter), 'developerCertificationPackageTracks') as Track[]
}

/** Creates an invite that must be refused, and returns the code and the message. */
export async function refusedInvite(mock: MockServer, input: object = {}): Promise<[string, string]> {
  return refusalIn(await ask(mock, CREATE, { input: { quizId: QUIZ, candidate: INES, ...input } }))
}

/** Creates a package invite that must be refused, and returns the code and the message. */
export async function refusedPackage(mock: MockServer, input: object = {}): Promise<[string, string]> {
  return refusalIn(await ask(mock, CREATE_PACKAGE, { input: { packageId: PACKAGE, candidate: INES, ...input } }))
}

export function refusalIn(answer: Answer): [string, string] {
  const [failure, ...more] = answer.body?.errors ?? []
  if (!failure || more.length > 0) throw new Error(`expected one error, got ${answer.text}`)
  return [failure.extensions?.code ?? '', failure.message]
}

function field(answer: Answer, name: string): unknown {
  const value = answer.body?.data?.[name]
  if (value === undefined || value === null || answer.body?.errors) throw new Error(`expected data, got ${answer.text}`)
  return value
}

/** A call of the control API in process, such as `PATCH /behaviour`. */
export async function controlText(mock: MockServer, way: string, body: unknown) {
  const [method = '', path = ''] = way.split(' ')
  const headers = { 'content-type': 'application/json' }
  const response = await mock.fetch(`${mock.baseUrl}/__mock${path}`, { method, headers, body: JSON.stringify(body) })
  return { status: response.status, text: await response.text() }
}
