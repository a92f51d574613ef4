// @ts-nocheck: these packages are installed only in this folder, which the project's type check does not need.
// The ways to create an invite, each with the settings of its README. Every one sends the same mutation.
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

const query = readFileSync(`${import.meta.dirname}/../../operations/create-invite.graphql`, 'utf8')
const headers = { 'content-type': 'application/json', 'x-api-key': 'key' }
const inputOf = ({ email }) => ({ quizId: 'quiz', candidate: { email } })
const idOf = (data) => data.developerCreateCertificationInvite.inviteId

/**
 * Each gets where the service is, the limit of one request in milliseconds, and a `place` for what it keeps: a URL of Redis or
 * Postgres, or the path of a file. It returns what creates one invite and resolves with its id; a queue returns `work`.
 */
export const WAYS = {
  'graphql-request': async ({ url, fetch }) => {
    const { GraphQLClient } = await import('graphql-request')
    const client = new GraphQLClient(url, { headers, fetch })
    return async (job) => idOf(await client.request(query, { input: inputOf(job) }))
  },
  '@urql/core': (where) => urql(where, []),
  '@urql/core, retryExchange': async (where) => {
    const { retryExchange } = await import('@urql/exchange-retry')
    return urql(where, [retryExchange({ retryIf: (error) => error.networkError !== undefined })])
  },
  '@apollo/client, RetryLink': async ({ url, fetch }) => {
    const { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } = await import('@apollo/client')
    const { RetryLink } = await import('@apollo/client/link/retry')
    const link = ApolloLink.from([new RetryLink(), new HttpLink({ uri: url, headers, fetch })])
    const client = new ApolloClient({ link, cache: new InMemoryCache() })
    const mutation = gql(query)
    return async (job) => idOf((await client.mutate({ mutation, variables: { input: inputOf(job) } })).data)
  },
  'got, POST retried': async ({ url, limitMs }) => {
    const { default: got } = await import('got')
    return async (job) => {
      const json = { query, variables: { input: inputOf(job) } }
      const options = { headers, json, timeout: { request: limitMs }, retry: { methods: ['POST'] } }
      return idOf((await got.post(url, options).json()).data)
    }
  },
  'fetch in p-retry': async (where) => {
    const { default: pRetry } = await import('p-retry')
    return (job) => pRetry(() => send(where, job), { retries: 5 })
  },
  'BullMQ job, fetch': async (where) => {
    const { Queue, Worker } = await import('bullmq')
    const connection = { url: where.place, maxRetriesPerRequest: null }
    const queue = new Queue('invites', { connection })
    const options = { attempts: 3, backoff: { type: 'exponential', delay: 1000 } }
    /* A killed worker is noticed in seconds instead of half a minute. */
    const sooner = { lockDuration: 5000, stalledInterval: 1000 }
    return {
      add: (jobs) =>
        queue.addBulk(jobs.map((data) => ({ name: 'invite', data, opts: { ...options, jobId: data.delivery } }))),
      work: (concurrency) =>
        new Worker('invites', ({ data }) => send(where, data), { connection, concurrency, ...sooner }),
      end: async ({ delivery }) => {
        const state = await queue.getJobState(delivery)
        if (state === 'completed') return { said: 'created', inviteId: (await queue.getJob(delivery)).returnvalue }
        return state === 'failed' ? { said: 'failed' } : undefined
      },
    }
  },
  'pg-boss job, fetch': async (where) => {
    const { default: PgBoss } = await import('pg-boss')
    const boss = new PgBoss({ connectionString: where.place, maintenanceIntervalSeconds: 1 })
    boss.on('error', () => {})
    await boss.start()
    await boss.createQueue('invites')
    const handler = async ([{ data }]) => ({ inviteId: await send(where, data) })
    return {
      /* A killed worker is noticed in seconds instead of a quarter of an hour. */
      add: (jobs) =>
        boss.insert(jobs.map((data) => ({ name: 'invites', id: data.delivery, data, expireInSeconds: 5 }))),
      work: async (workers) => {
        for (let worker = 0; worker < workers; worker += 1) await boss.work('invites', handler)
      },
      end: async ({ delivery }) => {
        const { state, output } = await boss.getJobById('invites', delivery)
        if (state === 'completed') return { said: 'created', ...output }
        return state === 'failed' ? { said: 'failed' } : undefined
      },
    }
  },
  'certify-sdk, no ledger': (where) => certify(where),
  'certify-sdk with a ledger': async (where) => {
    const { openLedger } = await import('../../dist/ledger/index.js')
    return certify(where, await openLedger(where.place))
  },
}

async function certify({ origin, limitMs }, ledger) {
  const { CertifyClient } = await import('../../dist/index.node.js')
  const client = new CertifyClient({ baseUrl: origin, apiKey: 'key', timeoutMs: limitMs, ledger })
  return async (job) => {
    const options = ledger && { reference: job.email.split('@')[0] }
    for (;;) {
      try {
        return (await client.invites.create(inputOf(job), options)).inviteId
      } catch (error) {
        /* As a queue does. */
        if (error.code !== 'SERVICE_UNAVAILABLE') throw error
        await pause(error.retryAfterMs)
      }
    }
  }
}

async function urql({ url, fetch }, exchanges) {
  const { Client, fetchExchange } = await import('@urql/core')
  const fetchOptions = { headers }
  const client = new Client({
    url,
    exchanges: [...exchanges, fetchExchange],
    fetchOptions,
    fetch,
    preferGetMethod: false,
  })
  return async (job) => {
    const { data, error } = await client.mutation(query, { input: inputOf(job) }).toPromise()
    if (error) throw error
    return idOf(data)
  }
}

/* As one writes it by hand. */
async function send({ url, fetch }, job) {
  const body = JSON.stringify({ query, variables: { input: inputOf(job) } })
  const response = await fetch(url, { method: 'POST', headers, body })
  if (!response.ok) throw new Error(`HTTP ${response.status}`)
  const { data, errors } = await response.json()
  if (errors) throw new Error(errors[0].message)
  return idOf(data)
}
