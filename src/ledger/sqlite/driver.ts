import { createRequire } from 'node:module'
import { ledgerUnusable } from '../rules/errors.ts'
import { installCommand, thisFile } from './install-command.ts'

/** What a column can contain, with both drivers. */
export type Value = string | number | Uint8Array | null

export type Row = Readonly<Record<string, Value>>

/** A prepared statement, the same for both drivers. */
export interface Statement {
  run(...values: readonly Value[]): { readonly changes: number | bigint; readonly lastInsertRowid: number | bigint }
  get(...values: readonly Value[]): unknown
  all(...values: readonly Value[]): unknown[]
}

/** An open database. Synchronous, as SQLite is. */
export interface Database {
  exec(sql: string): unknown
  prepare(sql: string): Statement
  close(): unknown
}

/** The SQLite to use: the runtime's own, or the package `better-sqlite3`. */
export type DriverName = 'node:sqlite' | 'better-sqlite3'

export interface Driver {
  readonly name: DriverName
  /** Its database class. Each copy of SQLite in this process has another one. */
  readonly library: object
  /** @param path a file, or an empty string for a private database, which disappears when it closes */
  readonly open: (path: string) => Database
}

/**
 * Loads a SQLite: the runtime's own if it needs no flag, else `better-sqlite3`. Only at the first call.
 *
 * @param unusable what cannot be used without it, as an error. Default: the ledger
 * @throws CertifyError LEDGER_UNUSABLE if there is neither
 */
export function loadDriver(only?: DriverName, unusable = ledgerUnusable): Driver {
  const failures: unknown[] = []
  for (const [name, load] of LOADERS) {
    if (only !== undefined && only !== name) continue
    try {
      const Library = load()
      if (Library !== undefined) return { name, library: Library, open: (path) => new Library(path) }
    } catch (error) {
      failures.push(error)
    }
  }
  const broken = failures.some((error) => (error as { code?: unknown }).code !== 'MODULE_NOT_FOUND')
  throw unusable(
    broken
      ? 'better-sqlite3 is installed, but does not load in this Node.js'
      : 'this runtime has no SQLite of its own, and better-sqlite3 is not installed',
    `Run \`${installCommand(broken ? 'rebuild' : 'install', 'better-sqlite3')}\`, or use Node.js 22.13 or later, which does not need it.`,
  )
}

type Library = new (path: string) => Database

const LOADERS: readonly (readonly [DriverName, () => Library | undefined])[] = [
  ['node:sqlite', loadBuiltIn],
  ['better-sqlite3', loadPackage],
]

function loadBuiltIn(): Library | undefined {
  const sqlite = withoutWarnings(() => process.getBuiltinModule('node:sqlite')) as
    | { readonly DatabaseSync: Library }
    | undefined
  return sqlite?.DatabaseSync
}

function loadPackage(): Library {
  const Sqlite = createRequire(thisFile())('better-sqlite3') as Library
  /* It loads its native code only when it opens something. */
  new Sqlite(':memory:').close()
  return Sqlite
}

/* Node warns that its SQLite may change. What this package uses is tested on each release line. */
function withoutWarnings<T>(load: () => T): T {
  const own = Object.getOwnPropertyDescriptor(process, 'emitWarning')
  process.emitWarning = () => {}
  try {
    return load()
  } finally {
    if (own !== undefined) Object.defineProperty(process, 'emitWarning', own)
  }
}
