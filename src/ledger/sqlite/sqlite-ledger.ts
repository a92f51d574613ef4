import type { InviteEvent } from '../../callbacks/invite-records.ts'
import type { Clock } from '../rules/clock.ts'
import type {
  ClaimRequest,
  EntryDetail,
  LedgerEntry,
  LedgerFilter,
  LedgerScope,
  Settlement,
  Target,
} from '../rules/entry.ts'
import { clockBehind, referenceTaken } from '../rules/errors.ts'
import type { Finding, Ledger, LedgerCheck, Purge, Purged } from '../rules/ledger.ts'
import { lookAlikes } from '../rules/look-alikes.ts'
import { entryOf, type SendRecord } from '../rules/record.ts'
import { entryResolved } from '../rules/resolving.ts'
import { endLeases, learn, recordFinding, recordSettlement } from './changes.ts'
import { claim, lookUp } from './claims.ts'
import { type Connection, type ConnectionOptions, connect, connectToMemory } from './connection.ts'
import type { Row } from './driver.ts'
import { acceptTime, timeAhead } from './latest-time.ts'
import { earliestPage, expiringPage, newestPage } from './lists.ts'
import { newOwner } from './owner.ts'
import { purge } from './purge.ts'
import { checkRoom } from './room.ts'
import { findSend, recordOf, scopeOf } from './rows.ts'
import { SCHEMA_VERSION } from './schema.ts'
import type { Statements } from './statements.ts'

/** The options of a ledger in a file. */
export interface LedgerOptions extends ConnectionOptions {
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
  const ledger = new SqliteLedger(await connect(options, options.acceptLoss))
  try {
    if (options.acceptClock === true) await ledger.acceptClock()
    return ledger
  } catch (error) {
    await ledger.close()
    throw error
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
  return new SqliteLedger(connectToMemory(options))
}

class SqliteLedger implements Ledger {
  readonly path: string
  readonly clock: Clock
  readonly #owner = newOwner()
  readonly #connection: Connection
  readonly #statements: Statements
  #endingLeases: Promise<void> | undefined

  constructor(connection: Connection) {
    this.path = connection.path
    this.clock = connection.clock
    this.#connection = connection
    this.#statements = connection.statements
  }

  readonly claim = async (request: ClaimRequest) => {
    const claimed = await this.#connection.write(() => {
      const now = this.clock.now()
      const latest = request.although?.clockSkew === true ? undefined : timeAhead(this.#statements, now)
      return latest === undefined ? claim(this.#statements, request, this.#owner, now) : { now, latest }
    })
    /* Not inside the transaction: it may have other writes. */
    if ('latest' in claimed) throw clockBehind(this.path, claimed.now, claimed.latest)
    if (claimed.kind === 'used') throw referenceTaken()
    return claimed
  }

  readonly settle = (reference: string, settlement: Settlement) =>
    this.#connection.write(() => recordSettlement(this.#statements, reference, settlement, this.clock.now()))

  readonly lookUp = <Detail extends keyof EntryDetail = 'entries'>(
    scope: LedgerScope,
    targets: readonly Target[],
    detail: Detail = 'entries' as Detail,
  ) =>
    this.#connection.read(() => {
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
    const send = await this.#connection.read(() => findSend(this.#statements, reference))
    return send && entryOf(send)
  }

  readonly list = (filter: LedgerFilter = {}) => this.#entries((last) => newestPage(this.#statements, filter, last))

  readonly expiring = (withinMs: number, filter: LedgerFilter = {}) => {
    const from = this.clock.now()
    const span = { from, until: from + withinMs }
    return this.#entries((last) => expiringPage(this.#statements, filter, span, last))
  }

  async *records(): AsyncGenerator<SendRecord, void, undefined> {
    await this.#endLeases()
    for (let last = 0; ; ) {
      const page = await this.#connection.read(() =>
        earliestPage(this.#statements, last).map((row) => recordOf(this.#statements, row)),
      )
      yield* page
      const final = page.at(-1)
      if (final === undefined) return
      last = final.id
    }
  }

  readonly resolve = async (reference: string, finding: Finding) => {
    await this.#endLeases()
    return entryResolved(
      await this.#connection.write(() => recordFinding(this.#statements, reference, finding, this.clock.now())),
    )
  }

  readonly learn = (event: InviteEvent) =>
    this.#connection.write(() => learn(this.#statements, event, this.clock.now()))

  readonly purge = async (what: Purge): Promise<Purged> => {
    await this.#endLeases()
    const purged = await this.#connection.write(() => purge(this.#statements, what, this.clock.now()))
    /* Until this, the log still contains the removed entries. */
    await this.#connection.read(() => this.#statements.all('PRAGMA wal_checkpoint(TRUNCATE)'))
    return purged
  }

  readonly checkRoom = async (sends: number) => {
    const { file, path } = this.#connection
    if (file !== undefined) checkRoom(file, path, sends)
  }

  readonly check = async (): Promise<LedgerCheck> => {
    await this.#endLeases()
    return this.#connection.read(() => {
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
        driver: this.#connection.driver,
      }
    })
  }

  readonly close = () => this.#connection.close()

  /** See {@link LedgerOptions.acceptClock}. */
  acceptClock(): Promise<void> {
    return this.#connection.write(() => acceptTime(this.#statements, this.clock.now()))
  }

  /* Calls of the same moment share it: to ask for the owner of each send may take long. */
  async #endLeases(): Promise<void> {
    this.#endingLeases ??= this.#connection.write(() => {
      this.#endingLeases = undefined
      endLeases(this.#statements, this.clock.now())
    })
    try {
      await this.#endingLeases
    } finally {
      this.#endingLeases = undefined
    }
  }

  async *#entries(pageAfter: (last: Row | undefined) => Row[]): AsyncGenerator<LedgerEntry, void, undefined> {
    await this.#endLeases()
    for (let last: Row | undefined; ; ) {
      const page = await this.#connection.read(() =>
        pageAfter(last).map((row) => ({ row, entry: entryOf(recordOf(this.#statements, row)) })),
      )
      for (const { entry } of page) yield entry
      last = page.at(-1)?.row
      if (last === undefined) return
    }
  }
}

/* Only scopes with entries; a purge leaves others. */
const SELECT_SCOPES = `
  SELECT base_url, account, world FROM scopes
  WHERE EXISTS (SELECT 1 FROM keys WHERE keys.scope = scopes.id) ORDER BY id`
