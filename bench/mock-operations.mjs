// The requests to the mock and its peers, and a plain schema over the same data for the peers.
import { readFileSync } from 'node:fs'
import { buildSchema } from 'graphql'
import { createMockServer } from '../dist/mock/index.js'

const read = (/** @type {string} */ path) => readFileSync(`${import.meta.dirname}/../${path}`, 'utf8')

/** The GraphQL path of every server. */
export const PATH = '/api/developer/graphql'

const mock = createMockServer()
const quizId = 'quiz_react_beginner_state'
const input = { quizId, candidate: { name: 'Ada Byron', email: 'ada@example.com' } }

export const headers = { 'content-type': 'application/json', 'x-api-key': mock.apiKey }

/** The body of each request. */
export const bodies = {
  tracks: JSON.stringify({ query: read('operations/package-tracks.graphql'), variables: {} }),
  invite: JSON.stringify({ query: read('operations/create-invite.graphql'), variables: { input } }),
}

/** The schema of the mock, and for each operation a resolver that checks the key and keeps what it creates. */
export async function plainSchema() {
  const response = await mock.fetch(mock.endpoint, { method: 'POST', headers, body: bodies.tracks })
  const { data } = /** @type {{ data: { developerCertificationPackageTracks: unknown[] } }} */ (await response.json())
  const tracks = data.developerCertificationPackageTracks
  const quizzes = new Map(mock.quizzes.map((quiz) => [quiz.id, quiz]))
  /** @type {Map<string, object>} */
  const invites = new Map()
  const schema = buildSchema(read('mock-server/schema.graphql'))
  const [query, mutation] = [schema.getQueryType()?.getFields() ?? {}, schema.getMutationType()?.getFields() ?? {}]
  resolve(query, 'developerCertificationPackageTracks', () => tracks)
  resolve(mutation, 'developerCreateCertificationInvite', (/** @type {{ input: typeof input }} */ args) => {
    if (!quizzes.has(args.input.quizId)) throw new Error('no such quiz')
    const inviteId = `inv_${invites.size}`
    const challengeUrl = `https://certify.test/challenge/${inviteId}`
    const expiresAt = new Date(Date.now() + 14 * 86_400_000).toISOString()
    const invite = { ...args.input, inviteId, status: 'PENDING', challengeUrl, expiresAt, emailSent: true }
    invites.set(inviteId, invite)
    return invite
  })
  return schema
}

/**
 * @param {Record<string, { resolve?: unknown }>} fields
 * @param {string} name
 * @param {(args: any) => unknown} answer
 */
function resolve(fields, name, answer) {
  const field = fields[name]
  if (field === undefined) throw new Error(`no field ${name}`)
  field.resolve = (
    /** @type {unknown} */ _root,
    /** @type {unknown} */ args,
    /** @type {{ key?: string }} */ context,
  ) => {
    if (context.key !== mock.apiKey) throw new Error('UNAUTHENTICATED')
    return answer(args)
  }
}
