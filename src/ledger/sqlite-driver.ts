import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { Row, Value } from './database.ts'
import { ledgerUnusable } from './rules/errors.ts'

/** A prepared statement, the same for both drivers. */
export interface Statement {
  run(...values: readonly Value[]): unknown
  all(...values: readonly Value[]): unknown[]
}

/** An open database. Synchronous, as SQLite is. */
export interface Sqlite {
  exec(sql: string): unknown
  prepare(sql: string): Statement
  close(): unknown
}

/** The SQLite to use: the runtime's own, or the package `better-sqlite3`. */
export type DriverName = 'node:sqlite' | 'better-sqlite3'

export interface Driver {
  readonly name: DriverName
  readonly open: (path: string) => Sqlite
}

type Library = new (path: string) => Sqlite

/**
 * Loads a SQLite: the runtime's own if it needs no flag, else `better-sqlite3`. Only at the first call.
 *
 * @throws CertifyError LEDGER_UNUSABLE if there is neither
 */
export function loadDriver(only?: DriverName): Driver {
  let isBroken = false
  for (const [name, load] of LOADERS) {
    if (only !== undefined && only !== name) continue
    try {
      const Library = load()
      if (Library !== undefined) return { name, open: (path) => new Library(path) }
    } catch (error) {
      isBroken ||= (error as { readonly code?: unknown }).code !== 'MODULE_NOT_FOUND'
    }
  }
  throw isBroken
    ? ledgerUnusable(
        'better-sqlite3 is installed, but does not load in this Node.js',
        'Run `npm rebuild better-sqlite3`, or use Node.js 22.13 or later, which does not need it.',
      )
    : ledgerUnusable(
        'this runtime has no SQLite of its own, and better-sqlite3 is not installed',
        'Use Node.js 22.13 or later, or run `npm install better-sqlite3` (with --global, if this package is global).',
      )
}

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
  /* A bundle of CommonJS modules has no `import.meta.url`. */
  const url = import.meta.url as string | undefined
  const Library = createRequire(url === undefined ? __filename : fileURLToPath(url))('better-sqlite3') as Library
  /* It loads its native code only when it opens something. */
  new Library(':memory:').close()
  return Library
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

/** The first row of a statement. */
export function rowOf(sqlite: Sqlite, sql: string): Row | undefined {
  return sqlite.prepare(sql).all()[0] as Row | undefined
}
