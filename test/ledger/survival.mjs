import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { createInterface } from 'node:readline'
import { Books } from './books.mjs'
import { randomFrom } from '../queues/random.mjs'
import { mocks } from './built.mjs'
import { fileOf } from './rows.mjs'

/**
 * Runs `certify bulk` in real processes that are killed at random moments, over a service full of faults, and compares
 * what they reported with the service's own records.
 *
 * @param {{ kills: number, rows: number, concurrency?: number, faultRate?: number, processes?: number, ledger?: string,
 *   timeout?: string, seed?: number, resumable?: readonly number[], killsForMs?: number }} options `processes`: how
 *   many run concurrently, on the same rows and ledger. `ledger`: the path or URL of the ledger; default: a file.
 *   `seed`: of the faults and the kills. `resumable`: exit codes after which the run is repeated.
 *   `killsForMs`: no more kills after that
 */
export async function survive({
  kills,
  rows,
  concurrency = 8,
  faultRate = 0.05,
  processes = 1,
  ledger = 'invites.ledger',
  timeout = '400ms',
  seed = randomInt(2 ** 31),
  resumable = [],
  killsForMs = Number.POSITIVE_INFINITY,
}) {
  const began = performance.now()
  const folder = mkdtempSync(join(tmpdir(), 'certify-harness-'))
  console.log(`harness: seed ${seed}`)
  const random = randomFrom(seed).next
  const mock = mocks.createMockServer({ seed: `harness ${seed}` })
  const faults = addFaults(mock, faultRate)
  const { url } = await mock.listen()
  const setting = { folder, url, apiKey: mock.apiKey, concurrency, ledger, timeout, random, resumable }
  writeFileSync(join(folder, 'rows.csv'), fileOf(rows))
  const books = new Books(mock, rows, processes)
  let killed = 0
  let lives = 0
  let finished = false
  try {
    while (!finished) {
      const dying = killed < kills && performance.now() - began < killsForMs
      lives += processes
      const ends = await Promise.all(Array.from({ length: processes }, () => live(setting, books, dying)))
      killed += ends.filter((end) => end === 'killed').length
      finished = ends.every((end) => end === 'finished')
      if (lives > 20 * (kills + 20)) throw new Error('the campaign does not come to its end')
    }
    const ambiguous = faults.filter(({ open }) => open).reduce((sum, { handle }) => sum + handle.hits, 0)
    return {
      ...books.figures(),
      kills: killed,
      lives,
      faults: Object.fromEntries(faults.map(({ name, handle }) => [name, handle.hits])),
      unknownAtMost: killed * concurrency + ambiguous,
    }
  } finally {
    await mock.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/* `open`: its outcome is unknown. */
const FAULTS = /** @type {const} */ ([
  { name: 'cut before', phase: 'before', fault: 'cut', open: true },
  { name: 'cut after', phase: 'after', fault: 'cut', open: true },
  { name: 'hang before', phase: 'before', fault: 'hang', open: true },
  { name: 'hang after', phase: 'after', fault: 'hang', open: true },
  { name: '502 before', phase: 'before', fault: 502, open: true },
  { name: '502 after', phase: 'after', fault: 502, open: true },
  { name: 'truncated after', phase: 'after', fault: 'truncate', open: true },
  { name: '429', phase: 'before', fault: { status: 429, headers: { 'retry-after': '0' } }, open: false },
  { name: '429 by code', phase: 'before', fault: { code: 'RATE_LIMITED' }, open: false },
])

/** @param {import('../../mock-server/index.ts').MockServer} mock @param {number} probability */
function addFaults(mock, probability) {
  const operations = /** @type {const} */ ([
    'developerCreateCertificationInvite',
    'developerCreateCertificationPackageInvite',
  ])
  const added = FAULTS.flatMap(({ name, phase, fault, open }) =>
    operations.map((operation) => ({
      name: `${name}, ${operation.includes('Package') ? 'package' : 'single'}`,
      open,
      handle: mock.faults.add({ operation, phase, fault, probability }),
    })),
  )
  /* Every request takes a while, so that some are in flight when the process dies. */
  mock.faults.add({ times: Number.POSITIVE_INFINITY, fault: { delayMs: 12 } })
  return added
}

/**
 * One run of a process.
 *
 * @param {{ folder: string, url: string, apiKey: string, concurrency: number, ledger: string,
 *   timeout: string, random: () => number, resumable: readonly number[] }} setting
 * @param {Books} books @param {boolean} dying
 */
async function live({ folder, url, apiKey, concurrency, ledger, timeout, random, resumable }, books, dying) {
  const flags = ['--yes', '--json', '--concurrency', `${concurrency}`, '--timeout', timeout]
  /* A URL may contain a password, which must not be an argument. */
  const place = { CERTIFY_LEDGER: ledger, CERTIFY_CONFIG_DIR: folder, TMPDIR: folder }
  const env = { CERTIFY_BASE_URL: url, CERTIFY_API_KEY: apiKey, ...place }
  const argv = [program, 'bulk', 'rows.csv', ...flags]
  const child = spawn(execPath, argv, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let complaints = ''
  child.stderr.setEncoding('utf8').on('data', (text) => (complaints += text))
  const closed = once(child, 'close')
  /* Most die while sending, some earlier: while they start, open the ledger or plan. */
  let isDoomed = false
  const dieIn = (/** @type {number} */ ms) => {
    if (dying && !isDoomed) setTimeout(() => child.kill('SIGKILL'), random() * ms)
    isDoomed = true
  }
  if (random() < 0.15) dieIn(800)
  let finished = false
  let told = ''
  for await (const line of createInterface(child.stdout)) {
    told += `${line}\n`
    const said = readLine(line)
    if (said?.type === 'row') {
      dieIn(150)
      await books.note(noted(said))
    }
    if (said?.type === 'summary') finished = books.isEnd(said)
  }
  const [code, signal] = await closed
  if (signal === 'SIGKILL') return 'killed'
  /* The packages could not be listed within 400 ms, as on a busy machine: nothing was sent. */
  if (code === 7 && told === '') return 'to be resumed'
  if (resumable.includes(code)) return 'to be resumed'
  if (![0, 3, 6].includes(code)) throw new Error(`a process ended with ${code}: ${complaints}`)
  return finished ? 'finished' : 'to be resumed'
}

const program = join(import.meta.dirname, '../../dist/bin/certify.cjs')

/** Its rows begin on line 2. @param {{ row: number, status: string, invites: { inviteId: string }[], code?: string }} said */
function noted({ row, status, invites, code }) {
  return { row: row - 1, status, inviteIds: invites.map(({ inviteId }) => inviteId), code }
}

/**
 * A killed process may leave half a line at the end.
 *
 * @param {string} line @returns {any}
 */
function readLine(line) {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
