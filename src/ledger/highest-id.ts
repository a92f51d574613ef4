import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs'
import { ledgerFlag, ledgerUnusable } from './rules/errors.ts'

/**
 * What this machine knows about a ledger's file, in a small file beside it: its highest identifier, and whether it is damaged.
 *
 * It notices that the ledger was replaced by an older copy: candidates missing from it would be invited again. Every claim
 * takes a higher identifier, and the highest one is written after each commit. It is not synced: after a power loss it may be
 * older than the ledger, which is harmless. A ledger with records and without this file is a backup, or was moved here: it
 * can be read, but whether records are missing is for a person to say.
 */
export class HighestId {
  readonly #path: string
  readonly #file: string
  /* `undefined`: nothing is known. */
  #highest: number | undefined
  #isDamaged: boolean

  /** @param path of the ledger, for messages; @param file its real path */
  constructor(path: string, file: string) {
    this.#path = path
    this.#file = `${file}-highest-id`
    const [id, isDamaged] = this.#read()
    this.#highest = id
    this.#isDamaged = isDamaged
  }

  /** Whether a process has found that the ledger is damaged. */
  get isDamaged(): boolean {
    return this.#isDamaged
  }

  /** Whether the ledger is complete as far as is known. A backup has no such file. */
  get isKnown(): boolean {
    return this.#highest !== undefined
  }

  /** @throws CertifyError LEDGER_UNUSABLE if the ledger is behind what this file, or this process, has seen */
  check(id: number): void {
    const highest = this.#highest ?? 0
    if (id >= highest) return
    throw ledgerUnusable(
      `${this.#path}: it is missing its last records: it ends at number ${id}, and number ${highest} was recorded. It was ` +
        'removed, or an older copy was put in its place',
      `Restore the newest copy. If it is lost for good, ${this.#acceptLoss}`,
    )
  }

  /** @throws CertifyError LEDGER_UNUSABLE if records may be missing: none must be added */
  checkComplete(): void {
    if (this.#highest !== undefined) return
    throw ledgerUnusable(
      `${this.#path}: it is a backup, or was moved here without ${this.#file}: later records may be missing`,
      `If it is complete, or the rest is lost for good, ${this.#acceptLoss}`,
    )
  }

  /** Records the highest identifier after a commit. */
  advanceTo(id: number): void {
    if (this.#highest !== undefined) this.accept(id)
  }

  /** From now on this identifier is known as the highest one: the ledger is new, or its loss was accepted. */
  accept(id: number): void {
    if (id !== this.#highest) this.#write(id, this.#isDamaged)
  }

  /** Records that the ledger is damaged, or that it is whole again. */
  setDamaged(isDamaged: boolean): void {
    if (isDamaged !== this.#isDamaged) this.#write(this.#highest, isDamaged)
  }

  get #acceptLoss(): string {
    return (
      `\`certify ledger check --accept-loss ${ledgerFlag(this.#path)}\` (\`acceptLoss\` of openLedger) goes on without it: ` +
      'candidates in the missing part may then be invited twice.'
    )
  }

  #write(id: number | undefined, isDamaged: boolean): void {
    this.#highest = id
    this.#isDamaged = isDamaged
    try {
      /* Not truncated first: a process killed in between would leave it empty. */
      const file = openSync(this.#file, constants.O_WRONLY | constants.O_CREAT, 0o600)
      try {
        writeSync(file, `${String(id ?? '').padStart(16)}\n${isDamaged ? DAMAGED : WHOLE}`, 0)
      } finally {
        closeSync(file)
      }
    } catch {
      /* The commit is on the disk: it must not be reported as failed. The next one tries again. */
    }
  }

  #read(): readonly [id: number | undefined, isDamaged: boolean] {
    try {
      const [text = '', state] = readFileSync(this.#file, 'utf8').slice(0, 40).split('\n')
      const id = text.trim() === '' ? undefined : Number(text)
      return [Number.isSafeInteger(id) ? id : undefined, state === DAMAGED.trim()]
    } catch {
      return [undefined, false]
    }
  }
}

/* Equally long, so that one replaces the other. */
const DAMAGED = 'damaged\n'
const WHOLE = '       \n'
