import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CertifyErrorCode } from '../../src/index.ts'
import type { LedgerRecord } from '../../src/ledger/index.ts'
import { claimed, claimOf } from '../src/ledger/contract/samples.ts'
import { openLedger, type WholeLedger } from '../src/ledger/whole.ts'
import { NO_COLOR, createRunner, type World } from './run.ts'

/** A send to record. */
export interface Send {
  readonly email: string
  readonly quizId?: string
  readonly packageId?: string
  readonly campaign?: string
  readonly code?: CertifyErrorCode
  readonly state?: 'unknown' | 'sending' | 'refused'
  /** Hours before now. */
  readonly age?: number
  readonly baseUrl?: string
}

/** A row as `invites resolve` prints it with --json. */
interface Told {
  readonly row: number
  readonly status: string
  readonly reference: string | null
  readonly state: string | null
  readonly message: string | null
}

const NOW = Date.parse('2030-01-01T00:00:00Z')
const HOUR_MS = 3_600_000

/** A runner whose ledger has these sends. The name of each is its reference. */
export async function recorded(sends: Readonly<Record<string, Send>>) {
  const { certify, home, mock } = createRunner()
  const path = join(home.folder, 'invites.ledger')
  let now = NOW
  const open = () => openLedger(path, { clock: { now: () => now, startTimer: () => () => {} } })
  const withLedger = async <T>(use: (ledger: WholeLedger) => Promise<T>): Promise<T> => {
    const ledger = await open()
    try {
      return await use(ledger)
    } finally {
      await ledger.close()
    }
  }
  await withLedger(async (ledger) => {
    for (const [reference, send] of Object.entries(sends)) {
      const { email, quizId = 'quiz', packageId, campaign, code, state = 'unknown', age = 0 } = send
      const candidate = { email }
      now = NOW - age * HOUR_MS
      const input = packageId === undefined ? { quizId, candidate } : { packageId, candidate }
      const { baseUrl = mock.baseUrl } = send
      const more = { baseUrl, leaseMs: 1000 * HOUR_MS, allowClockSkew: true, campaign }
      const claim = await claimed(ledger, claimOf(input, reference, more))
      if (state !== 'sending') await ledger.settle(claim, { state, code })
    }
    now = NOW
  })
  const states = () =>
    withLedger(async (ledger) => {
      const found: Record<string, LedgerRecord['state']> = {}
      for await (const { reference, state } of ledger.list()) found[reference] = state
      return found
    })
  const resolve = (argv: readonly string[], world: World = {}) =>
    certify(['invites', 'resolve', ...argv, '--ledger', path], { ...world, env: { ...NO_COLOR, ...world.env } })
  return {
    path,
    resolve,
    states,
    withLedger,
    certify: (argv: readonly string[], world?: World) => certify([...argv, '--ledger', path], world),
    /** Runs the command with --json and --yes. Returns its result and its rows. */
    rows: async (argv: readonly string[], world: World = {}) => {
      const ended = await resolve([...argv, '--json', '--yes'], world)
      return { ...ended, rows: (ended.stdout === '' ? [] : JSON.parse(ended.stdout)) as readonly Told[] }
    },
    /* The header of the SQLite file counts the transactions that changed it. */
    commits: () => readFileSync(path).readUInt32BE(24),
  }
}

/** Three unknown sends. */
export const three = {
  a: { email: 'ada@example.com', code: 'TIMED_OUT' },
  b: { email: 'ben@example.com', code: 'CONNECTION_LOST' },
  c: { email: 'cleo@example.com' },
} satisfies Record<string, Send>
export const unchanged: Readonly<Record<string, string>> = { a: 'unknown', b: 'unknown', c: 'unknown' }
