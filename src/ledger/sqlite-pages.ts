import fs from 'node:fs'
import type { Database, Row, Value } from './database.ts'
import { isWhole } from './sqlite-check.ts'
import { checkPath } from './ledger-file.ts'
import { ledgerUnusable } from './rules/errors.ts'
import { SQLITE_SCHEMA } from './schema.ts'
import type { Driver, Sqlite } from './sqlite-driver.ts'
import { unusableBy } from './sqlite-errors.ts'

/* How many rows one transaction reads: a few milliseconds. Creates go on between two of them. */
const PAGE = 500

/**
 * Copies a ledger into a new file. What is recorded meanwhile may be missing, or in an earlier state: as after a crash, a
 * create that was being sent then has an unknown outcome. The copy has no highest-id file: it can be read, and nothing is
 * sent from it before a person has accepted the loss. It is checked now, so that readers need not.
 *
 * @returns how many records it has
 */
export async function backUp({ transaction }: Pick<Database, 'transaction'>, driver: Driver, to: string) {
  checkPath(to, 'ledger.backup')
  if (fs.existsSync(to)) throw ledgerUnusable(`${to}: it already exists`, 'Give the path of a new file.')
  const partial = `${to}-partial`
  try {
    fs.rmSync(partial, { force: true })
    fs.closeSync(fs.openSync(partial, 'wx', 0o600))
    const copy = driver.open(partial)
    try {
      copy.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; BEGIN')
      for (const statement of SQLITE_SCHEMA) copy.exec(statement)
      const records = await copyRows(transaction, copy)
      copy.exec('COMMIT')
      if (!(await isWhole(copy, driver, partial)))
        throw ledgerUnusable(`${to}: it was damaged while it was written`, 'Check the disk.')
      fs.renameSync(partial, to)
      return records
    } finally {
      copy.close()
    }
  } catch (error) {
    fs.rmSync(partial, { force: true })
    throw unusableBy(error, to)
  }
}

async function copyRows(transaction: Database['transaction'], copy: Sqlite): Promise<number> {
  let records = 0
  for await (const rows of pagesOf(transaction, 'certify_sends')) {
    const [from, to] = [idOf(rows[0]), idOf(rows.at(-1))]
    const ids = new Set(rows.map(idOf))
    for (const row of rows) insert(copy, 'certify_sends', row)
    for (const table of ['certify_invites', 'certify_references']) {
      const named = await transaction(({ all }) => all(`SELECT * FROM ${table} WHERE send BETWEEN ? AND ?`, from, to))
      for (const row of named) if (ids.has(Number(row['send']))) insert(copy, table, row)
    }
    records += rows.length
  }
  for await (const rows of pagesOf(transaction, 'certify_events')) {
    for (const row of rows) insert(copy, 'certify_events', row)
  }
  const accounts = await transaction(({ all }) => all('SELECT * FROM certify_accounts'))
  for (const row of accounts) insert(copy, 'certify_accounts', row)
  return records
}

async function* pagesOf(transaction: Database['transaction'], table: string): AsyncGenerator<readonly Row[]> {
  const sql = `SELECT * FROM ${table} WHERE id > ? ORDER BY id LIMIT ${PAGE}`
  for (let after = 0; ; ) {
    const from = after
    const rows = await transaction(({ all }) => all(sql, from))
    if (rows.length === 0) return
    yield rows
    after = idOf(rows.at(-1))
  }
}

function idOf(row: Row | undefined): number {
  return Number(row?.['id'])
}

function insert(copy: Sqlite, table: string, row: Row): void {
  const columns = Object.keys(row)
  const places = columns.map(() => '?').join()
  copy.prepare(`INSERT INTO ${table} (${columns.join()}) VALUES (${places})`).run(...(Object.values(row) as Value[]))
}

/**
 * Looks for rows that an index does not find: such a candidate could be invited twice. A page that cannot be read is an
 * error of SQLite. `PRAGMA integrity_check` would read everything in one transaction, and hold up every create.
 */
export async function problemsIn(transaction: Database['transaction']): Promise<readonly string[]> {
  const problems: string[] = []
  for (const row of await transaction(({ all }) => all(INDEXES))) {
    const [table, index] = [String(row['table_name']), String(row['index_name'])]
    const isSame = String(row['columns'])
      .split(',')
      .map((column) => `other.${column} IS page.${column}`)
      .join(' AND ')
    const sql = `SELECT max(row) AS last, coalesce(sum(NOT EXISTS (
        SELECT 1 FROM ${table} AS other INDEXED BY ${index} WHERE ${isSame} AND other.rowid = row
      )), 0) AS lost
      FROM (SELECT rowid AS row, * FROM ${table} NOT INDEXED WHERE rowid > ? ORDER BY rowid LIMIT ${PAGE}) AS page`
    let lost = 0
    for (let after: unknown = 0; after !== null; ) {
      const from = Number(after)
      const [page] = await transaction(({ all }) => all(sql, from))
      lost += Number(page?.['lost'])
      after = page?.['last']
    }
    if (lost > 0) problems.push(`the index ${index} does not find ${lost} rows of ${table}`)
  }
  return problems
}

/* Partial ones are left out: they speed up lists, and decide nothing. */
const INDEXES = `SELECT tables.name AS table_name, indexes.name AS index_name, group_concat(columns.name) AS columns
  FROM sqlite_master AS tables, pragma_index_list(tables.name) AS indexes, pragma_index_info(indexes.name) AS columns
  WHERE tables.type = 'table' AND indexes.partial = 0 GROUP BY tables.name, indexes.name`
