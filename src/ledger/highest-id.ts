import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs'
import { ledgerFlag, ledgerUnusable } from './rules/errors.ts'

/**
 * Notices that a ledger was replaced by an older copy: candidates missing from it would be invited again. Identifiers
 * of sends only grow, so the highest one is written to a small file beside the ledger after each commit. It is not
 * synced: after a power loss it may be older than the ledger, which is harmless. A ledger without this file opens.
 */
export class HighestId {
  readonly #path: string
  readonly #file: string
  #highest: number

  /** @param path of the ledger, for messages; @param file its real path */
  constructor(path: string, file: string) {
    this.#path = path
    this.#file = `${file}-highest-id`
    this.#highest = this.#read()
  }

  /** @throws CertifyError LEDGER_UNUSABLE if the ledger is behind what this file, or this process, has seen */
  check(id: number): void {
    if (id >= this.#highest) return
    throw ledgerUnusable(
      `${this.#path}: it is missing its last records: it ends at number ${id}, and number ${this.#highest} was recorded. It was ` +
        'removed, or an older copy was put in its place',
      `Restore the newest copy. If it is lost for good, \`certify ledger check --accept-loss ${ledgerFlag(this.#path)}\` ` +
        '(`acceptLoss` of openLedger) goes on without it: candidates in the missing part may then be invited twice.',
    )
  }

  /** Records the highest identifier after a commit. */
  advanceTo(id: number): void {
    if (id === this.#highest) return
    this.#highest = id
    try {
      /* Not truncated first: a process killed in between would leave it empty. */
      const file = openSync(this.#file, constants.O_WRONLY | constants.O_CREAT, 0o600)
      try {
        writeSync(file, `${String(id).padStart(16)}\n`, 0)
      } finally {
        closeSync(file)
      }
    } catch {
      /* The commit is on the disk: it must not be reported as failed. The next one tries again. */
    }
  }

  #read(): number {
    try {
      const id = Number(readFileSync(this.#file, 'utf8').slice(0, 20))
      return Number.isSafeInteger(id) ? id : 0
    } catch {
      return 0
    }
  }
}
