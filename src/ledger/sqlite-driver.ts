import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { Row, Value } from './database.ts'
import { ledgerUnusable } from './rules/errors.ts'

/** A prepared statement. */
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

/** A library with the interface of `node:sqlite`. */
export interface Driver {
  readonly name: 'node:sqlite' | typeof PACKAGE
  /** What `require` needs to load it in another thread. */
  readonly module: string
  readonly open: (path: string) => Sqlite
}

/** Has the same interface, with its binaries inside the package: nothing is compiled. */
const PACKAGE = '@photostructure/sqlite'

/* Versions 2 and later need Node.js 22. */
const INSTALL = `npm install ${PACKAGE}@1`

interface Library {
  readonly DatabaseSync: new (path: string) => Sqlite
}

/**
 * Loads SQLite: the runtime's own if it needs no flag, else the package `@photostructure/sqlite`. Only at the first call.
 *
 * @throws CertifyError LEDGER_UNUSABLE if there is neither
 */
export function loadDriver(): Driver {
  const builtIn = withoutWarnings(() => process.getBuiltinModule('node:sqlite') as Library | undefined)
  if (builtIn !== undefined) return driverOf('node:sqlite', 'node:sqlite', builtIn)
  /* A bundle of CommonJS modules has no `import.meta.url`. */
  const url = import.meta.url as string | undefined
  /* From here, never from the working folder: anyone may own it. */
  const file = url === undefined ? __filename : fileURLToPath(url)
  try {
    const require = createRequire(file)
    return driverOf(PACKAGE, require.resolve(PACKAGE), require(PACKAGE) as Library)
  } catch (error) {
    throw (error as { readonly code?: unknown }).code === 'MODULE_NOT_FOUND'
      ? ledgerUnusable(
          `this runtime has no SQLite of its own, and ${PACKAGE} is not installed`,
          `Use Node.js 22.13 or later, or ${howToInstall(file)}.`,
        )
      : ledgerUnusable(
          `${PACKAGE} is installed, but does not load in this Node.js`,
          `Run \`${INSTALL}\` again, or use Node.js 22.13 or later, which does not need it.`,
        )
  }
}

/* Nothing can be added to the folder of npx, but it prefers a package that is installed in the working folder. */
function howToInstall(file: string): string {
  return /[\\/]_npx[\\/]/.test(file)
    ? `run \`${INSTALL} certify-sdk\` in this folder, and npx finds both there`
    : `run \`${INSTALL}\` (with --global, if this package is global)`
}

function driverOf(name: Driver['name'], module: string, { DatabaseSync }: Library): Driver {
  return {
    name,
    module,
    open: (path) => (name === PACKAGE ? withCodes(new DatabaseSync(path)) : new DatabaseSync(path)),
  }
}

/* In version 1 of the package, errors of `all` have the text of SQLite, but not the code. */
function withCodes(database: Sqlite): Sqlite {
  return {
    exec: (sql) => database.exec(sql),
    close: () => database.close(),
    prepare(sql) {
      const statement = database.prepare(sql)
      return {
        run: (...values) => statement.run(...values),
        all(...values) {
          try {
            return statement.all(...values)
          } catch (error) {
            throw Object.assign(error as Error, { errcode: ERROR_TEXTS[(error as Error).message] })
          }
        },
      }
    },
  }
}

/* The texts of `sqlite3_errstr`. */
const ERROR_TEXTS: Readonly<Record<string, number>> = {
  'database is locked': 5,
  'disk I/O error': 10,
  'database disk image is malformed': 11,
  'file is not a database': 26,
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
