import { randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { callbacks, mocks, partsOf, postgresLedgers } from '../ledger/built.mjs'
import { emailOf, JobBooks } from './job-books.mjs'
import { Programs } from './programs.mjs'
import { randomFrom } from './random.mjs'

/**
 * @typedef {{ readonly reference: string, readonly quizId: string, readonly candidate: { readonly email: string } }} Job
 * @typedef {{ readonly reference: string, readonly status: string, readonly inviteIds: readonly string[] }} End
 */

/**
 * @typedef {object} TestedQueue
 * @property {Record<string, string>} env for the programs of the example
 * @property {(jobs: readonly Job[]) => Promise<unknown>} add
 * @property {() => Promise<{ open: number, ended: readonly End[] }>} ends
 * @property {() => Promise<void>} clear removes the jobs that have ended
 * @property {() => Promise<void>} expireLocks all jobs in progress lose their lock, as if their workers had stalled
 * @property {() => Promise<void>} close
 */

export const SECRET = 'a secret of thirty-two characters'
export const CALLBACK_URL = 'https://app.example/certify'
const QUIZ_ID = 'quiz_react_beginner_state'
const CREATE = 'developerCreateCertificationInvite'

/**
 * Runs the worker of an example in several processes that are killed at random moments, over a service full of faults.
 * Many jobs are added again, early and late, and jobs lose their locks while a worker has them. Then events arrive, and
 * a person resolves the rest. After each part, what the jobs report is compared with the service's own records.
 *
 * @param {object} options
 * @param {import('./examples.mjs').Example} options.example
 * @param {TestedQueue} options.queue
 * @param {string} options.databaseUrl of the ledger
 * @param {number} options.jobs
 * @param {number} options.kills
 * @param {number | undefined} options.seed
 * @param {() => Promise<void>} options.restartServers kills the servers of queue and ledger, and starts them again
 */
export async function survive({ example, queue, databaseUrl, jobs, kills, seed, restartServers }) {
  const random = randomFrom(seed ?? randomInt(2 ** 31))
  console.log(`${example}: seed ${random.seed}`)
  const ledger = await postgresLedgers.openPostgresLedger({ url: databaseUrl })
  const { mock, handler } = startService(ledger, random.seed)
  const { url } = await mock.listen()
  const programs = new Programs(example, 'worker.mjs', {
    CERTIFY_BASE_URL: url,
    CERTIFY_API_KEY: mock.apiKey,
    DATABASE_URL: databaseUrl,
    CALLBACK_URL,
    CALLBACK_SECRET: SECRET,
    ...queue.env,
  })
  const all = Array.from({ length: jobs }, (_each, index) => jobOf(`hire-${index}`))
  const books = new JobBooks(mock)
  try {
    programs.start(WORKERS)
    for (let killed = 0; killed < kills; killed++) {
      const [from, to] = [killed, killed + 1].map((part) => Math.floor((jobs * part) / kills))
      const repeated = all.slice(0, to).filter(() => random.next() < 0.2 / (killed + 1))
      await queue.add([...all.slice(from, to), ...repeated])
      await wait(random.next() * 1_000)
      if (random.next() < 0.3) await queue.expireLocks()
      programs.killOne(random.next())
      if (killed % 20 === 10) await restartServers()
    }
    await programs.stop()
    /* All workers are gone: after a while, their locks and leases expire. */
    await queue.expireLocks()
    await lapseAll(ledger)
    programs.start(WORKERS)
    const first = books.compare(await endsOf(queue))

    /* Candidates use their links: so events tell the ledger about the invites whose responses were lost. */
    mock.faults.clear()
    for (const { challengeUrl } of mock.invites) mock.open(challengeUrl).fail()
    await mock.settle()
    await handler.drain()
    const second = books.compare(await endsAgain(first.unknown))

    /* A send without an event was not created: a person finds that out. */
    const references = []
    for await (const { reference } of ledger.list({ state: 'unknown' })) references.push(reference)
    await Promise.all(references.map((reference) => ledger.resolve(reference, { notCreated: true })))
    books.compare(await endsAgain(second.unknown))
    return {
      jobs,
      kills,
      crashes: programs.crashes,
      /* A refusal is final for its reference. */
      refused: first.refused.length,
      unknown: first.unknown.length,
      settledByEvents: first.unknown.length - second.unknown.length,
      ...books.figures(all),
      records: (await ledger.check()).records,
    }
  } finally {
    await programs.remove()
    await mock.close()
    await ledger.close()
  }

  /* The same jobs are added again, with the same references. */
  async function endsAgain(/** @type {readonly string[]} */ references) {
    await queue.clear()
    if (references.length > 0) await queue.add(references.map(jobOf))
    return endsOf(queue)
  }
}

const WORKERS = 3

/** @param {string} reference @returns {Job} */
export const jobOf = (reference) => ({ reference, quizId: QUIZ_ID, candidate: { email: emailOf(reference) } })

/** @typedef {import('../../src/ledger/index.ts').Ledger} Ledger */

/** A service full of faults, whose events reach the ledger. @param {Ledger} ledger @param {number} seed */
function startService(ledger, seed) {
  const mock = mocks.createMockServer({ seed: `queues ${seed}` })
  const urls = callbacks.callbackUrls({ baseUrl: CALLBACK_URL, secrets: [SECRET] })
  const handler = callbacks.createCallbackHandler({
    callbacks: urls,
    inbox: ledger.inbox,
    onEvent: () => {},
  })
  mock.callbacks.deliverTo((request) => handler(request))
  const times = Number.POSITIVE_INFINITY
  for (const [phase, fault, probability] of FAULTS)
    mock.faults.add({ operation: CREATE, phase, fault, probability, times })
  /* Some take longer than pg-boss allows a job in this test. */
  mock.faults.add({ operation: CREATE, fault: { delayMs: 3_600 }, probability: 0.03, times })
  mock.faults.add({ operation: CREATE, fault: { delayMs: 100 }, times })
  return { mock, handler }
}

/** @type {readonly (readonly ['before' | 'after', any, number])[]} */
const FAULTS = [
  ['before', 'cut', 0.01],
  ['after', 'cut', 0.01],
  ['before', 502, 0.01],
  ['after', 502, 0.01],
  ['after', 'truncate', 0.01],
  ['before', { code: 'BAD_USER_INPUT' }, 0.01],
  ['before', { status: 429, headers: { 'retry-after': '0' } }, 0.1],
]

/** Expires the leases of all sends. @param {Ledger} ledger */
async function lapseAll(ledger) {
  const { records, settle } = partsOf(ledger)
  for await (const page of records())
    for (const send of page) if (send.state === 'sending') await settle(send, { state: 'unknown' })
}

/** Waits until every job has ended. @param {TestedQueue} queue */
async function endsOf(queue) {
  const giveUpAt = performance.now() + 600_000
  for (;;) {
    const { open, ended } = await queue.ends()
    if (open === 0) return ended
    if (performance.now() > giveUpAt) throw new Error(`${open} jobs have not ended`)
    await wait(200)
  }
}
