import type { MockServer } from '../../mock-server/contract/mock-server.ts'
import type { MockServerOptions } from '../../mock-server/generated/contract.ts'
import type { CertifyClient } from '../../src/index.ts'
import { type Answer, answerOf, CREATE, INES, keyOf, QUIZ, TRACKS } from './calls.ts'

/** A way to reach a mock: its `fetch`, a listener, MSW. Each rule gets a new world. */
export interface Place {
  readonly mock: MockServer
  readonly fetch: typeof globalThis.fetch
  /** The base URL of the mock by this way. */
  readonly baseUrl: string
  readonly client: CertifyClient
}

/** A rule that holds in every place: what is seen there, as JSON, and the expected value. */
export interface Rule {
  readonly title: string
  readonly options?: MockServerOptions
  readonly see: (place: Place) => Promise<unknown>
  readonly expected: unknown
}

export const contract: readonly Rule[] = [
  {
    title: 'the client lists tracks',
    see: async ({ client }) => (await client.tracks.list({ search: 'sql' })).map(({ slug }) => slug),
    expected: ['sql'],
  },
  {
    title: 'the client creates an invite, and its link works at the same base URL',
    see: async ({ client, mock, fetch, baseUrl }) => {
      const { challengeUrl, status, emailSent } = await client.invites.create({ quizId: QUIZ, candidate: INES })
      const opened = await fetch(challengeUrl)
      const isHere = challengeUrl.startsWith(`${baseUrl}/challenge/`)
      return [status, emailSent, isHere, opened.status, mock.invites.length, mock.outbox.map(({ to }) => to)]
    },
    expected: ['PENDING', true, true, 200, 1, [INES.email]],
  },
  {
    title: 'a response holds the requested fields, as JSON, and nothing else',
    see: async (place) => {
      const { status, type, text } = await ask(place, '{ developerCertificationPackageTracks { slug } }')
      return [status, type, text]
    },
    expected: [
      200,
      'application/json; charset=utf-8',
      '{"data":{"developerCertificationPackageTracks":[{"slug":"react"},{"slug":"python-data"},{"slug":"cloud-operations"},{"slug":"sql"}]}}',
    ],
  },
  {
    title: 'a link stays open until the clock has advanced by 14 days',
    options: { now: '2030-01-01T00:00:00Z' },
    see: async ({ client, mock, fetch }) => {
      const { challengeUrl, expiresAt } = await client.invites.create({ quizId: QUIZ, candidate: INES })
      await mock.clock.advance('13d')
      const before = (await fetch(challengeUrl)).status
      await mock.clock.advance('1d')
      return [expiresAt, before, (await fetch(challengeUrl)).status]
    },
    expected: ['2030-01-15T00:00:00.000Z', 200, 410],
  },
  {
    title: 'an unknown key is UNAUTHENTICATED, and a read-only key creates nothing',
    see: async (place) => {
      const input = { quizId: QUIZ, candidate: INES }
      const as = async (key: string | null) => codeIn(await ask(place, CREATE, { input }, key))
      return [await as(null), await as('nonsense'), await as(keyOf(place.mock, 'read')), place.mock.invites.length]
    },
    expected: ['UNAUTHENTICATED', 'UNAUTHENTICATED', 'FORBIDDEN', 0],
  },
  {
    title: 'the admin session authenticates like a key',
    see: async ({ mock, fetch, baseUrl }) => {
      const headers = { 'content-type': 'application/json', ...mock.adminSession.headers }
      const body = JSON.stringify({ query: TRACKS })
      return (await answerOf(await fetch(`${baseUrl}/api/developer/graphql`, { method: 'POST', headers, body }))).status
    },
    expected: 200,
  },
  ...(['before', 'after'] as const).map((phase, effects) => ({
    title: `a connection cut ${phase} the effect is a network error with an unknown outcome`,
    see: async ({ client, mock }: Place) => {
      mock.faults.add({ phase, fault: 'cut' })
      const create = client.invites.create({ quizId: QUIZ, candidate: INES })
      const outcome = await create.then(
        () => 'created',
        (error: { outcome?: unknown }) => error.outcome,
      )
      return [outcome, mock.invites.length, mock.outbox.length]
    },
    expected: ['unknown', effects, effects],
  })),
  {
    title: 'a hanging request ends when the caller aborts',
    see: async (place) => {
      const handle = place.mock.faults.add({ phase: 'after', fault: 'hang' })
      const caller = new AbortController()
      const asked = ask(place, CREATE, { input: { quizId: QUIZ, candidate: INES } }, place.mock.apiKey, caller.signal)
      const ended = asked.then(
        () => 'answered',
        (error: { name?: unknown }) => error.name,
      )
      while (handle.hits === 0) await turn()
      caller.abort()
      return [await ended, place.mock.invites.length]
    },
    expected: ['AbortError', 1],
  },
  {
    title: 'a truncated body is an error while it is read, and the invite exists',
    see: async (place) => {
      place.mock.faults.add({ phase: 'after', fault: 'truncate' })
      const asked = ask(place, CREATE, { input: { quizId: QUIZ, candidate: INES } })
      const ended = await asked.then(
        () => 'answered',
        (error: { name?: unknown }) => error.name,
      )
      return [ended, place.mock.invites.length]
    },
    expected: ['TypeError', 1],
  },
]

async function ask(
  { mock, fetch, baseUrl }: Place,
  query: string,
  variables: object = {},
  key: string | null = mock.apiKey,
  signal: AbortSignal | null = null,
): Promise<Answer> {
  const response = await fetch(`${baseUrl}/api/developer/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key !== null && { 'x-api-key': key }) },
    body: JSON.stringify({ query, variables }),
    signal,
  })
  return answerOf(response)
}

function codeIn({ body }: Answer): string | null {
  return body?.errors?.[0]?.extensions?.code ?? null
}

/* A turn of the event loop that also works in browsers. */
function turn(): Promise<void> {
  const { port1, port2 } = new MessageChannel()
  return new Promise((resolve) => {
    port1.addEventListener('message', () => {
      port1.close()
      resolve()
    })
    port1.start()
    port2.postMessage(null)
  })
}
