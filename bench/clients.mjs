// @ts-nocheck: these packages are installed only in this folder, which the project's type check does not need.
import { readFileSync } from 'node:fs'

const operation = (name) => readFileSync(`${import.meta.dirname}/../operations/${name}.graphql`, 'utf8')
const tracks = operation('package-tracks')
const invite = operation('create-invite')
const apiKey = 'key'
const headers = { 'content-type': 'application/json', 'x-api-key': apiKey }
const input = { quizId: 'quiz', candidate: { name: 'Ada Byron', email: 'ada@example.com' } }
const endpoint = (baseUrl) => `${baseUrl}/api/developer/graphql`

/** The same two calls with each client: without a cache, and each fails if the response has errors. */
export const CLIENTS = {
  async fetch(baseUrl) {
    const ask = async (query, variables) => {
      const body = JSON.stringify({ query, variables })
      const response = await fetch(endpoint(baseUrl), { method: 'POST', headers, body })
      return response.json()
    }
    return { tracks: () => ask(tracks, {}), invite: () => ask(invite, { input }) }
  },
  /* What `import 'certify-sdk'` is on Node.js: it sends over node:http. All the others use fetch. */
  'certify-sdk': (baseUrl) => callsOf('../dist/index.node.js', baseUrl),
  /* What it is in a worker or a browser. */
  'certify-sdk, with fetch': (baseUrl) => callsOf('../dist/index.js', baseUrl),
  async 'graphql-request'(baseUrl) {
    const { GraphQLClient } = await import('graphql-request')
    const client = new GraphQLClient(endpoint(baseUrl), { headers: { 'x-api-key': apiKey } })
    return { tracks: () => client.request(tracks, {}), invite: () => client.request(invite, { input }) }
  },
  async 'graphql-request and zod/mini'(baseUrl) {
    const { GraphQLClient } = await import('graphql-request')
    const client = new GraphQLClient(endpoint(baseUrl), { headers: { 'x-api-key': apiKey } })
    const schemas = await schemasByHand()
    return {
      tracks: async () => schemas.tracks.parse(await client.request(tracks, {})),
      invite: async () => schemas.invite.parse(await client.request(invite, { input: schemas.input.parse(input) })),
    }
  },
  async '@urql/core'(baseUrl) {
    const { Client, fetchExchange } = await import('@urql/core')
    const client = new Client({
      url: endpoint(baseUrl),
      exchanges: [fetchExchange],
      fetchOptions: { headers },
      requestPolicy: 'network-only',
      preferGetMethod: false,
    })
    return {
      tracks: async () => dataOf(await client.query(tracks, {}).toPromise()),
      invite: async () => dataOf(await client.mutation(invite, { input }).toPromise()),
    }
  },
  async '@apollo/client'(baseUrl) {
    const { ApolloClient, gql, HttpLink, InMemoryCache } = await import('@apollo/client')
    const client = new ApolloClient({
      link: new HttpLink({ uri: endpoint(baseUrl), headers }),
      cache: new InMemoryCache(),
    })
    const [query, mutation] = [gql(tracks), gql(invite)]
    const fetchPolicy = 'no-cache'
    return {
      tracks: () => client.query({ query, variables: {}, fetchPolicy }),
      invite: () => client.mutate({ mutation, variables: { input }, fetchPolicy }),
    }
  },
  async '@octokit/graphql'(baseUrl) {
    const { graphql } = await import('@octokit/graphql')
    const ask = graphql.defaults({ url: endpoint(baseUrl), baseUrl, headers })
    return { tracks: () => ask(tracks, {}), invite: () => ask(invite, { input }) }
  },
}

async function callsOf(build, baseUrl) {
  const { CertifyClient } = await import(build)
  const client = new CertifyClient({ baseUrl, apiKey })
  return { tracks: () => client.tracks.list(), invite: () => client.invites.create(input) }
}

/* The checks of the SDK, as one would write them for these two calls. */
async function schemasByHand() {
  const { z } = await import('zod/mini')
  const notBlank = z.string().check(z.refine((value) => value.trim() !== ''))
  const skill = z.object({
    quizId: z.string(),
    skillName: z.string(),
    level: z.string(),
    durationMinutes: z.number().check(z.refine(Number.isInteger)),
    enabledLanguages: z.array(z.string()),
    conceptsTested: z.array(z.string()),
  })
  const pack = z.object({
    id: z.string(),
    name: z.string(),
    level: z.string(),
    description: z.string(),
    skills: z.array(skill),
  })
  const track = z.object({ id: z.string(), name: z.string(), slug: z.string(), packages: z.array(pack) })
  const created = z.object({
    inviteId: z.string(),
    status: z.string(),
    challengeUrl: z.string(),
    expiresAt: z.string(),
    emailSent: z.boolean(),
  })
  return {
    tracks: z.object({ developerCertificationPackageTracks: z.array(track) }),
    invite: z.object({ developerCreateCertificationInvite: created }),
    input: z.strictObject({
      quizId: notBlank,
      candidate: z.strictObject({ name: z.optional(z.string()), email: z.email() }),
      sendInviteEmail: z.optional(z.boolean()),
      externalReference: z.optional(z.string()),
      callbackUrl: z.optional(z.url({ protocol: /^https$/ })),
    }),
  }
}

function dataOf(result) {
  if (result.error) throw result.error
  return result.data
}
