import type { InviteEvent } from '../../callbacks/invite-records.ts'
import { CertifyError, type Issue } from '../../index.ts'
import { type Clock, systemClock } from '../rules/clock.ts'
import type {
  ClaimRequest,
  EntryDetail,
  LedgerEntry,
  LedgerFilter,
  LedgerScope,
  Settlement,
  Target,
} from '../rules/entry.ts'
import { clockBehind, ledgerUnusable } from '../rules/errors.ts'
import { LINK_LIFETIME_MS } from '../rules/key.ts'
import type { Finding, Ledger, LedgerCheck, Purge, Purged } from '../rules/ledger.ts'
import { lookAlikes } from '../rules/look-alikes.ts'
import { claim, endLeases, isMismatched, lookUp, recordSettlement } from './claims.ts'
import { Commits, retryWhileBusy } from './commits.ts'
import { type DriverName, loadDriver, type Row } from './driver.ts'
import { openFile } from './file.ts'
import { acceptTime, timeAhead } from './latest-time.ts'
import { learn } from './learned.ts'
import { checkPath, type OpenDatabase, openMemory } from './open-database.ts'
import { expiringPage, newestPage } from './lists.ts'
import { hasLocks } from './locks.ts'
import { newOwner } from './owner.ts'
import { purge } from './purge.ts'
import { entryOf, SELECT_ENTRIES, scopeOf } from './rows.ts'
import { checkRoom } from './room.ts'
import { SCHEMA_VERSION } from './schema.ts'
import { sqliteCode, unusableBy } from './sqlite-errors.ts'
import { Statements } from './statements.ts'

/** The options of a ledger in a file. */
export interface LedgerOptions {
  /** The file. It is created, with its folder, if there is none. */
  readonly path: string
  /** The clock; a test has its own. Default: the clock of the machine. */
  readonly clock?: Clock | undefined
  /** How long to wait while another process locks the file, in milliseconds. Default: 10,000. */
  readonly busyTimeoutMs?: number | undefined
  /** The SQLite to use. Default: the runtime's own, else `better-sqlite3`. Both can open the same files. */
  readonly driver?: DriverName | undefined
  /**
   * Opens the ledger even if the record of its last sends is missing. Candidates in the missing part may then be
   * invited twice. Default: false, LEDGER_UNUSABLE.
   */
  readonly acceptLoss?: boolean | undefined
  /**
   * Makes the present time count as the latest that the ledger has seen. For a ledger that was used with a clock that
   * was ahead. Default: false, and a claim is refused as CLOCK_SKEW.
   */
  readonly acceptClock?: boolean | undefined
}

/**
 * Opens a ledger in an SQLite file. Several processes may use it at the same time. It needs Node.js 22.13 or later, or
 * the package `better-sqlite3`.
 *
 * The file stores e-mail addresses, names and links unencrypted. Only its owner can read it.
 *
 * @throws CertifyError, outcome `not-executed`: CONFIG_INVALID if `path` is no path; LEDGER_UNUSABLE: no SQLite, no
 *   access, a file that is not a ledger, an unsafe place, or missing last sends
 * @example
 * ```ts
 * const ledger = await openLedger({ path: 'invites.ledger' })
 * ```
 */
export async function openLedger(options: LedgerOptions): Promise<Ledger> {
  const { path, clock = systemClock, busyTimeoutMs = 10_000, driver: name, acceptLoss, acceptClock = false } = options
  checkPath(path)
  const driver = loadDriver(name)
  try {
    const open = await retryWhileBusy(() => openFile(driver, path, acceptLoss), clock, busyTimeoutMs)
    const ledger = new SqliteLedger(open, { clock, busyTimeoutMs, driver: driver.name })
    try {
      if (acceptClock) await ledger.acceptClock()
      return ledger
    } catch (error) {
      await ledger.close()
      throw error
    }
  } catch (error) {
    const hasNoLocks = sqliteCode(error) === 'BUSY' && !hasLocks(driver, path)
    throw unusableBy(hasNoLocks ? { code: 'ENOLCK' } : error, path)
  }
}

/**
 * Opens a ledger in memory, for tests: it follows the same rules, but is not durable. It ends with {@link Ledger.close}
 * or with the process, and no other process sees it. Without a record nothing prevents a second invite.
 *
 * @throws CertifyError LEDGER_UNUSABLE, outcome `not-executed`: no SQLite
 * @example
 * ```ts
 * const guarded = withLedger(client, await openMemoryLedger(), { account: 'test', world: mock.worldId })
 * ```
 */
export async function openMemoryLedger(options: Pick<LedgerOptions, 'clock' | 'driver'> = {}): Promise<Ledger> {
  const { clock = systemClock, driver: name } = options
  const driver = loadDriver(name)
  return new SqliteLedger(openMemory(driver), { clock, busyTimeoutMs: 0, driver: driver.name })
}

class SqliteLedger implements Ledger {
  readonly path: string
  readonly clock: Clock
  readonly #driver: DriverName
  readonly #busyTimeoutMs: number
  readonly #owner = newOwner()
  readonly #open: OpenDatabase
  readonly #statements: Statements
  readonly #commits: Commits
  #closed = false
  #endingLeases: Promise<void> | undefined

  constructor(open: OpenDatabase, { clock, busyTimeoutMs, driver }: Settings) {
    this.path = open.path
    this.clock = clock
    this.#driver = driver
    this.#busyTimeoutMs = busyTimeoutMs
    this.#open = open
    this.#statements = new Statements(open.database)
    this.#commits = new Commits(open, clock, busyTimeoutMs)
  }

  readonly claim = async (request: ClaimRequest) => {
    const claimed = await this.#write(() => {
      const now = this.clock.now()
      const latest = request.although?.clockSkew === true ? undefined : timeAhead(this.#statements, now)
      return latest === undefined ? claim(this.#statements, request, this.#owner, now) : { now, latest }
    })
    /* Not inside the transaction: it may have other writes. */
    if ('latest' in claimed) throw clockBehind(this.path, claimed.now, claimed.latest)
    return claimed
  }

  readonly settle = (reference: string, settlement: Settlement) =>
    this.#write(() => recordSettlement(this.#statements, reference, settlement, this.clock.now()))

  readonly lookUp = <Detail extends keyof EntryDetail = 'entries'>(
    scope: LedgerScope,
    targets: readonly Target[],
    detail: Detail = 'entries' as Detail,
  ) =>
    this.#read(() => {
      /* One transaction for all statements: faster, and with one view of the file. */
      this.#statements.run('BEGIN')
      try {
        return lookUp(this.#statements, scope, targets, detail, this.clock.now())
      } finally {
        this.#statements.run('COMMIT')
      }
    })

  readonly find = async (reference: string) => {
    await this.#endLeases()
    return this.#read(() => this.#entry(reference))
  }

  readonly list = (filter: LedgerFilter = {}) => this.#entries((last) => newestPage(this.#statements, filter, last))

  readonly expiring = (withinMs: number, filter: LedgerFilter = {}) => {
    const from = this.clock.now()
    const span = { from, until: from + withinMs }
    return this.#entries((last) => expiringPage(this.#statements, filter, span, last))
  }

  readonly resolve = async (reference: string, finding: Finding) => {
    await this.#endLeases()
    const resolved = await this.#write(() => {
      const entry = this.#entry(reference)
      if (entry?.state !== 'unknown') return { state: entry?.state }
      const settlement = settlementOfFinding(entry, finding)
      const now = this.clock.now()
      if (settlement.state === 'created' && isMismatched(this.#statements, reference, settlement.invites, now)) {
        return { isMismatch: true }
      }
      recordSettlement(this.#statements, reference, settlement, now)
      return { entry: this.#entry(reference) }
    })
    if (resolved.entry !== undefined) return resolved.entry
    throw resolved.isMismatch === true ? inviteOfAnother() : notUnknown(resolved.state)
  }

  readonly learn = (event: InviteEvent) => this.#write(() => learn(this.#statements, event, this.clock.now()))

  readonly purge = async (what: Purge): Promise<Purged> => {
    await this.#endLeases()
    const purged = await this.#write(() => purge(this.#statements, what, this.clock.now()))
    /* Until this, the log still contains the removed entries. */
    await this.#read(() => this.#statements.all('PRAGMA wal_checkpoint(TRUNCATE)'))
    return purged
  }

  readonly checkRoom = async (sends: number) => {
    const { file, path } = this.#open
    if (file !== undefined) checkRoom(file, path, sends)
  }

  readonly check = async (): Promise<LedgerCheck> => {
    await this.#endLeases()
    return this.#read(() => {
      const findings = this.#statements.all('PRAGMA integrity_check').map((row) => String(row['integrity_check']))
      const entries = { sending: 0, created: 0, refused: 0, 'not-executed': 0, unknown: 0 }
      const counts = this.#statements.all('SELECT state, count(*) AS number FROM sends GROUP BY state')
      for (const { state, number } of counts) entries[state as LedgerEntry['state']] = number as number
      const problems = findings.filter((finding) => finding !== 'ok')
      const scopes = this.#statements.all(SELECT_SCOPES).map(scopeOf)
      return {
        problems,
        lookAlikes: lookAlikes(scopes),
        entries,
        schemaVersion: SCHEMA_VERSION,
        driver: this.#driver,
      }
    })
  }

  readonly close = async () => {
    if (this.#closed) return
    this.#closed = true
    await this.#commits.drained()
    this.#open.close()
  }

  /** See {@link LedgerOptions.acceptClock}. */
  acceptClock(): Promise<void> {
    return this.#write(() => acceptTime(this.#statements, this.clock.now()))
  }

  async #write<T>(write: () => T): Promise<T> {
    this.#checkOpen()
    return this.#commits.write(write)
  }

  async #read<T>(read: () => T): Promise<T> {
    this.#checkOpen()
    try {
      return await retryWhileBusy(read, this.clock, this.#busyTimeoutMs)
    } catch (error) {
      throw unusableBy(error, this.path)
    }
  }

  /* Calls of the same moment share it: to ask for the owner of each send may take long. */
  async #endLeases(): Promise<void> {
    this.#endingLeases ??= this.#write(() => {
      this.#endingLeases = undefined
      endLeases(this.#statements, this.clock.now())
    })
    try {
      await this.#endingLeases
    } finally {
      this.#endingLeases = undefined
    }
  }

  #checkOpen(): void {
    if (this.#closed) throw ledgerUnusable(`${this.path}: it was closed`, 'Open it again.')
  }

  #entry(reference: string): LedgerEntry | undefined {
    const row = this.#statements.one(`${SELECT_ENTRIES} WHERE reference = ?`, reference)
    return row && entryOf(this.#statements, row)
  }

  async *#entries(pageAfter: (last: Row | undefined) => Row[]): AsyncGenerator<LedgerEntry, void, undefined> {
    await this.#endLeases()
    for (let last: Row | undefined; ; ) {
      const page = await this.#read(() =>
        pageAfter(last).map((row) => ({ row, entry: entryOf(this.#statements, row) })),
      )
      for (const { entry } of page) yield entry
      last = page.at(-1)?.row
      if (last === undefined) return
    }
  }
}

interface Settings {
  readonly clock: Clock
  readonly busyTimeoutMs: number
  readonly driver: DriverName
}

/* Only scopes with entries; a purge leaves others. */
const SELECT_SCOPES = `
  SELECT base_url, account, world FROM scopes
  WHERE EXISTS (SELECT 1 FROM keys WHERE keys.scope = scopes.id) ORDER BY id`

function settlementOfFinding({ sentAt, quizId }: LedgerEntry, { created }: Finding): Settlement {
  if (created === undefined) return { state: 'not-executed' }
  const expiresAt = new Date(Date.parse(sentAt) + LINK_LIFETIME_MS).toISOString()
  return { state: 'created', invites: [created].flat().map((inviteId) => ({ inviteId, expiresAt, quizId })) }
}

function notUnknown(state: LedgerEntry['state'] | undefined): CertifyError {
  const what = state === undefined ? 'the ledger has no such reference' : `that send is not unknown, but ${state}`
  return notResolved(what, 'List the state "unknown" to find such references.', {
    path: 'reference',
    rule: 'must be that of a send with an unknown outcome',
  })
}

function inviteOfAnother(): CertifyError {
  return notResolved(
    'that invite is recorded for another candidate or quiz',
    'Look up the invite of this candidate; the list of invites shows the candidate of that one.',
    { path: 'created', rule: 'must not be an invite of another candidate or quiz' },
  )
}

function notResolved(what: string, hint: string, issue: Issue): CertifyError {
  return new CertifyError({
    code: 'INPUT_INVALID',
    outcome: 'not-executed',
    operation: 'ledger.resolve',
    message: `ledger.resolve: ${what}. Nothing was changed.`,
    hint,
    issues: [issue],
  })
}
