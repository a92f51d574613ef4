import type { Issue } from '../index.ts'
import type { SendInput } from '../ledger/rules/entry.ts'
import { LedgerError, planUnusable } from '../ledger/rules/errors.ts'
import { type Database, type DriverName, loadDriver } from '../ledger/sqlite/driver.ts'
import { sqliteCode } from '../ledger/sqlite/sqlite-errors.ts'
import { Statements } from '../ledger/sqlite/statements.ts'
import type { PlannedRow, PlannedStatus } from './row.ts'

/**
 * The rows of one plan, on disk instead of in memory. They are in a private SQLite database. The system removes it when
 * the process ends, even after a crash.
 */
export class PlanRows {
  readonly #database: Database
  readonly #statements: Statements

  constructor(driver?: DriverName) {
    this.#database = loadDriver(driver, planUnusable).open('')
    this.#database.exec(`
      PRAGMA journal_mode = OFF;
      PRAGMA synchronous = OFF;
      PRAGMA cache_size = -8192;
      CREATE TABLE rows (
        number INTEGER PRIMARY KEY,
        row INTEGER NOT NULL,
        status TEXT NOT NULL,
        input TEXT,
        issues TEXT,
        duplicate_of INTEGER,
        lapsed INTEGER,
        missing TEXT
      );
      CREATE TABLE keys (key TEXT PRIMARY KEY, row INTEGER NOT NULL) WITHOUT ROWID;
    `)
    this.#statements = new Statements(this.#database)
  }

  /** Writes many rows in one transaction. */
  inTransaction(write: () => void): void {
    try {
      this.#database.exec('BEGIN')
      write()
      this.#database.exec('COMMIT')
    } catch (error) {
      throw diskFull(error)
    }
  }

  add({ row, status, input, issues, duplicateOf, lapsed, missingQuizIds }: PlannedRow): void {
    this.#statements.run(
      'INSERT INTO rows (row, status, input, issues, duplicate_of, lapsed, missing) VALUES (?, ?, ?, ?, ?, ?, ?)',
      row,
      status,
      input === undefined ? null : JSON.stringify(input),
      issues.length === 0 ? null : JSON.stringify(issues),
      duplicateOf ?? null,
      lapsed === true ? 1 : null,
      missingQuizIds === undefined ? null : JSON.stringify(missingQuizIds),
    )
  }

  /** Takes keys for a row. If an earlier row has one of them, it takes none and returns that row. */
  reserve(keys: readonly string[], row: number): number | undefined {
    if (keys.length === 1 && this.#reserve(keys[0] ?? '', row)) return undefined
    for (const key of keys) {
      const earlier = this.earlierWith(key)
      if (earlier !== undefined) return earlier
    }
    for (const key of keys) this.#reserve(key, row)
    return undefined
  }

  /** The earlier row that has a key. */
  earlierWith(key: string): number | undefined {
    return this.#statements.one('SELECT row FROM keys WHERE key = ?', key)?.['row'] as number | undefined
  }

  /** A page of rows after a number, in order. `last` is the number of its last row. */
  page(after: number, size: number, status?: PlannedStatus): { readonly rows: PlannedRow[]; readonly last: number } {
    const from = 'SELECT * FROM rows WHERE number > ?'
    const to = 'ORDER BY number LIMIT ?'
    const found =
      status === undefined
        ? this.#statements.all(`${from} ${to}`, after, size)
        : this.#statements.all(`${from} AND status = ? ${to}`, after, status, size)
    const rows = found.map(
      ({ missing, ...row }): PlannedRow => ({
        row: row['row'] as number,
        status: row['status'] as PlannedStatus,
        input: parsed(row['input']) as SendInput | undefined,
        issues: (parsed(row['issues']) ?? []) as Issue[],
        duplicateOf: (row['duplicate_of'] ?? undefined) as number | undefined,
        ...(row['lapsed'] === 1 && { lapsed: true }),
        ...(missing !== null && { missingQuizIds: parsed(missing) as string[] }),
      }),
    )
    return { rows, last: (found.at(-1)?.['number'] as number | undefined) ?? after }
  }

  /* Returns whether the key was free. */
  #reserve(key: string, row: number): boolean {
    return this.#statements.run('INSERT OR IGNORE INTO keys (key, row) VALUES (?, ?)', key, row) === 1
  }

  close(): void {
    this.#database.close()
  }
}

function diskFull(error: unknown): unknown {
  const code = sqliteCode(error)
  if (code !== 'FULL' && code !== 'IOERR') return error
  return new LedgerError({
    code: 'LEDGER_UNUSABLE',
    outcome: 'not-executed',
    message: 'The rows of the plan cannot be stored: the folder for temporary files is full. Nothing was sent.',
    hint: 'Free some space there, or set TMPDIR to another folder.',
  })
}

function parsed(text: unknown): unknown {
  return typeof text === 'string' ? JSON.parse(text) : undefined
}
