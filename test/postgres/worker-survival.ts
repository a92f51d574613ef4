import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { rolldown } from 'rolldown'
import { createMockServer, type MockServer } from '../../mock-server/index.ts'
import { openPostgresLedger, type PostgresLedger } from '../../src/ledger/postgres/index.ts'
import { sql } from './server.mjs'

export interface Survival {
  readonly wishes: number
  readonly workers: number
  readonly kills: number
  readonly seed: number
}

const CONCURRENCY = 8
const ACCOUNT = 'acme'

/**
 * Enqueues wishes, some in transactions that are rolled back, while workers in processes of their own send them to a service
 * full of faults and are killed at random moments. Then compares the end states with the service's own books.
 */
export async function survive(url: string, { wishes, workers, kills, seed }: Survival) {
  const folder = mkdtempSync(join(tmpdir(), 'certify-worker-'))
  const mock = createMockServer({ seed: `worker ${seed}` })
  const ledger = await openPostgresLedger({ url })
  try {
    const ambiguous = addFaults(mock)
    const { url: baseUrl } = await mock.listen()
    const file = await bundle(folder)
    const env = { DATABASE_URL: url, BASE_URL: baseUrl, API_KEY: mock.apiKey, WORLD: mock.worldId }
    const fleet = new Fleet(file, { ...env, CONCURRENCY: `${CONCURRENCY}` }, kills, randomOf(seed))
    const enqueuing = enqueueAll(url, ledger, wishes, randomOf(seed + 1))
    await fleet.run(workers, async () => {
      await enqueuing
      return (await ledger.outbox.counts()).waiting === 0
    })
    /* The leases of those that were killed. */
    await sql(
      url,
      `UPDATE certify.certify_send_records SET lease_until = 1 WHERE state = 'sending';
      UPDATE certify.certify_outbox SET due_at = 1 WHERE state = 'sending'`,
    )
    await fleet.drain()
    return { ...(await figures(ledger, mock, wishes, await enqueuing)), ...fleet.figures(), ambiguous: ambiguous() }
  } finally {
    await ledger.close()
    await mock.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function bundle(folder: string): Promise<string> {
  const build = await rolldown({
    input: join(import.meta.dirname, 'worker-process.ts'),
    platform: 'node',
    external: ['better-sqlite3', 'pg-native', 'pg-cloudflare'],
    checks: { pluginTimings: false },
    logLevel: 'silent',
  })
  const file = join(folder, 'worker.mjs')
  await build.write({ file, format: 'esm', codeSplitting: false })
  return file
}

/* The same numbers for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

function addFaults(mock: MockServer): () => number {
  const operation = 'developerCreateCertificationInvite'
  const rules = [
    ...(['cut', 'hang', 502] as const).flatMap((fault) =>
      (['before', 'after'] as const).map((phase) => ({ operation, phase, fault, probability: 0.003 }) as const),
    ),
    { operation, phase: 'after', fault: 'truncate', probability: 0.003 },
  ] as const
  const added = rules.map((rule) => mock.faults.add(rule))
  mock.faults.add({ operation, fault: { status: 429, headers: { 'retry-after': '0' } }, probability: 0.01 })
  /* So that there is something on its way when a process is killed. */
  mock.faults.add({ times: Number.POSITIVE_INFINITY, fault: { delayMs: [2, 25] } })
  return () => added.reduce((sum, { hits }) => sum + hits, 0)
}

/* Each tenth transaction is rolled back. Resolves with the numbers of the others. */
async function enqueueAll(url: string, ledger: PostgresLedger, wishes: number, random: () => number) {
  const client = new Client({ connectionString: url })
  await client.connect()
  const committed = new Set<number>()
  for (let wish = 1; wish <= wishes; wish += 1) {
    const isCommitted = random() >= 0.1
    const input = { quizId: 'quiz_react_beginner_state', candidate: { name: 'Ada Byron', email: emailOf(wish) } }
    await client.query('BEGIN')
    await ledger.enqueue(client, input, { account: ACCOUNT, reference: `w${wish}` })
    await client.query(isCommitted ? 'COMMIT' : 'ROLLBACK')
    if (isCommitted) committed.add(wish)
  }
  await client.end()
  return committed
}

function emailOf(wish: number): string {
  return `c${wish}@example.com`
}

class Fleet {
  readonly #file: string
  readonly #env: Readonly<Record<string, string>>
  readonly #kills: number
  readonly #random: () => number
  readonly #running = new Set<ChildProcess>()
  #killed = 0
  #output = ''

  constructor(file: string, env: Readonly<Record<string, string>>, kills: number, random: () => number) {
    this.#file = file
    this.#env = env
    this.#kills = kills
    this.#random = random
  }

  /* Keeps so many workers running until all kills are done, and `isDone`. */
  async run(workers: number, isDone: () => Promise<boolean>): Promise<void> {
    const over = new AbortController()
    const lives = Array.from({ length: workers }, async () => {
      while (!over.signal.aborted) await this.#live({}, true)
    })
    do await new Promise((resolve) => setTimeout(resolve, 100))
    while (!(await isDone()))
    over.abort()
    for (const child of this.#running) child.kill('SIGTERM')
    await Promise.all(lives)
  }

  drain = () => this.#live({ DRAIN: 'yes' }, false)

  figures() {
    return { killed: this.#killed, output: this.#output }
  }

  /* Most die while they send, some while they start. */
  async #live(more: Readonly<Record<string, string>>, mayDie: boolean): Promise<void> {
    const child = spawn(process.execPath, [this.#file], {
      env: { ...this.#env, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#running.add(child)
    let isDoomed = false
    const dieWithin = (ms: number) => {
      if (!mayDie || isDoomed || this.#killed >= this.#kills) return
      isDoomed = true
      this.#killed += 1
      setTimeout(() => child.kill('SIGKILL'), this.#random() * ms)
    }
    if (this.#random() < 0.15) dieWithin(600)
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#output += text
      dieWithin(400)
    })
    let complaints = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text))
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
    this.#running.delete(child)
    if (signal !== 'SIGKILL' && code !== 0) throw new Error(`a worker ended with ${code}: ${complaints}`)
  }
}

async function figures(ledger: PostgresLedger, mock: MockServer, wishes: number, committed: ReadonlySet<number>) {
  const invites = new Map<string, number>()
  for (const { candidate } of mock.invites) invites.set(candidate.email, (invites.get(candidate.email) ?? 0) + 1)
  const states = new Map<string, string>()
  for await (const { reference, state } of ledger.outbox.list()) states.set(reference, state)
  const counts: Record<string, number> = {}
  const falsehoods: string[] = []
  for (let wish = 1; wish <= wishes; wish += 1) {
    const state = committed.has(wish) ? states.get(`w${wish}`) : 'rolled back'
    const sent = invites.get(emailOf(wish)) ?? 0
    counts[`${state}`] = (counts[`${state}`] ?? 0) + 1
    const isTrue =
      state === 'created' ? sent === 1 : state === 'unknown' ? sent <= 1 : state === 'rolled back' && sent === 0
    if (!isTrue) falsehoods.push(`w${wish} is ${state}, with ${sent} invites`)
  }
  const duplicates = [...invites.values()].filter((count) => count > 1).length
  return { counts, falsehoods, duplicates, rows: states.size - committed.size }
}
