// @ts-nocheck: these packages are installed in this folder alone, which the project's type check does not need.
import { readFileSync } from 'node:fs'
import { ApolloClient, gql as apolloGql, HttpLink, InMemoryCache } from '@apollo/client'
import { graphql as octokit } from '@octokit/graphql'
import { fetchExchange, Client as UrqlClient } from '@urql/core'
import { GraphQLClient } from 'graphql-request'
import { CertifyClient } from '../dist/index.js'

const operation = (name) => readFileSync(`${import.meta.dirname}/../operations/${name}.graphql`, 'utf8')
const tracks = operation('package-tracks')
const invite = operation('create-invite')
const apiKey = 'key'
const headers = { 'content-type': 'application/json', 'x-api-key': apiKey }
const input = { quizId: 'quiz', candidate: { name: 'Ada Byron', email: 'ada@example.com' } }

/** The same two calls by each client: no cache in between, and each fails where the answer holds errors. */
export function clientsOf(baseUrl) {
  const url = `${baseUrl}/api/developer/graphql`
  const bare = async (query, variables) => {
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query, variables }) })
    return response.json()
  }
  const request = new GraphQLClient(url, { headers: { 'x-api-key': apiKey } })
  const certify = new CertifyClient({ baseUrl, apiKey })
  const urql = new UrqlClient({
    url,
    exchanges: [fetchExchange],
    fetchOptions: { headers },
    requestPolicy: 'network-only',
    preferGetMethod: false,
  })
  const apollo = new ApolloClient({ link: new HttpLink({ uri: url, headers }), cache: new InMemoryCache() })
  const [apolloTracks, apolloInvite] = [apolloGql(tracks), apolloGql(invite)]
  const octo = octokit.defaults({ url, baseUrl, headers })
  const fetchPolicy = 'no-cache'
  return {
    tracks: {
      fetch: () => bare(tracks, {}),
      'certify-sdk': () => certify.tracks.list(),
      'graphql-request': () => request.request(tracks, {}),
      '@urql/core': () => urql.query(tracks, {}).toPromise().then(failing),
      '@apollo/client': () => apollo.query({ query: apolloTracks, variables: {}, fetchPolicy }),
      '@octokit/graphql': () => octo(tracks, {}),
    },
    invite: {
      fetch: () => bare(invite, { input }),
      'certify-sdk': () => certify.invites.create(input),
      'graphql-request': () => request.request(invite, { input }),
      '@urql/core': () => urql.mutation(invite, { input }).toPromise().then(failing),
      '@apollo/client': () => apollo.mutate({ mutation: apolloInvite, variables: { input }, fetchPolicy }),
      '@octokit/graphql': () => octo(invite, { input }),
    },
  }
}

function failing(result) {
  if (result.error) throw result.error
  return result.data
}
