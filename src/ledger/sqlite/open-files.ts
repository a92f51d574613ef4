import { ledgerUnusable } from '../rules/errors.ts'
import { identityOf } from './file-identity.ts'

/**
 * Registers a file as open with one SQLite. Refuses it if another SQLite of this process has it open. A process loses
 * its POSIX locks on a file when it closes any descriptor of that file. One copy of SQLite avoids that, but two copies
 * do not know of each other. All copies of this package in one thread share the register.
 *
 * @param library the database class: it identifies a SQLite
 * @param file the real path of an existing file
 * @returns call it after the file was closed
 * @throws CertifyError LEDGER_UNUSABLE
 */
export function register(library: object, file: string, path: string): () => void {
  const open = openFiles()
  const identity = identityOf(file) ?? file
  const uses = open.get(identity) ?? { library, count: 0 }
  if (uses.library !== library) {
    throw ledgerUnusable(
      `${path}: another SQLite of this process has it open, and the two would release each other's locks`,
      'Use one in each process: the same `driver` everywhere, and one installed copy of better-sqlite3.',
    )
  }
  uses.count += 1
  open.set(identity, uses)
  return () => {
    uses.count -= 1
    if (uses.count === 0) open.delete(identity)
  }
}

interface Uses {
  readonly library: object
  count: number
}

const REGISTER = Symbol.for('certify-sdk/ledger/open-files')

function openFiles(): Map<string, Uses> {
  const shared = globalThis as { [REGISTER]?: Map<string, Uses> }
  shared[REGISTER] ??= new Map()
  return shared[REGISTER]
}
