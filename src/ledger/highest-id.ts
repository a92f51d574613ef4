import { closeSync, constants, fsyncSync, openSync, readSync, statSync, writeSync } from 'node:fs'
import { giveToOwnerOf } from './owner.ts'
import { ledgerFlag, ledgerUnusable } from './rules/errors.ts'
import { attempt } from './process-lock.ts'
import { unusableBy } from './sqlite-errors.ts'

/**
 * What this machine knows about a ledger's file, in a small file beside it: its highest identifier, and whether it is damaged.
 *
 * It notices that the ledger was replaced by an older copy: candidates missing from it would be invited again. Every claim
 * takes a higher identifier, and the highest one is written after each commit. The file decides, not what a process remembers:
 * **the number only goes up, and a mark of damage stays** until everything was read. Only a person (`accept`) lowers it. All is
 * done under the lock of the ledger. After a power loss the number may be older than the ledger, which is harmless.
 *
 * A ledger with records and without this file is a backup, or was moved here: it can be read, but whether records are missing is
 * for a person to say.
 */
export class HighestId {
  readonly #path: string
  readonly #ledger: string
  readonly #file: string
  /* As it was last read. `undefined`: nothing is known. */
  #highest: number | undefined
  /* What this process has seen only refuses more: the file may have been replaced together with the ledger. */
  #seen = 0
  /** Whether a process has found that the ledger is damaged. */
  isDamaged = false

  /** @param path of the ledger, for messages; @param ledger its real path */
  constructor(path: string, ledger: string) {
    this.#path = path
    this.#ledger = ledger
    this.#file = `${ledger}-highest-id`
  }

  /** Reads the file. @throws CertifyError LEDGER_UNUSABLE if that fails */
  read(): void {
    const text = this.#text()
    const line = text.slice(0, NUMBER_BYTES).trim()
    this.#highest = /^\d+$/.test(line) ? Number(line) : undefined
    this.#seen = Math.max(this.#seen, this.#highest ?? 0)
    this.isDamaged ||= text.slice(NUMBER_BYTES) === DAMAGED
  }

  /** Whether the ledger is complete as far as is known. A backup has no such file. */
  get isKnown(): boolean {
    return this.#highest !== undefined
  }

  /**
   * To be called in each transaction.
   *
   * @throws CertifyError LEDGER_UNUSABLE if the ledger is behind what this file, or this process, has seen
   */
  check(id: number): void {
    this.read()
    if (id >= this.#seen) return
    throw ledgerUnusable(
      `${this.#path}: it is missing its last records: it ends at number ${id}, and number ${this.#seen} was recorded. It was ` +
        'removed, or an older copy was put in its place',
      `Restore the newest copy. If it is lost for good, ${this.#acceptLoss}`,
      'for good',
    )
  }

  /** @throws CertifyError LEDGER_UNUSABLE if no record must be added: some may be missing, or the file has two names */
  checkAddable(): void {
    if (this.#highest === undefined)
      throw ledgerUnusable(
        `${this.#path}: it is a backup, or was moved here without ${this.#file}: later records may be missing`,
        `If it is complete, or the rest is lost for good, ${this.#acceptLoss}`,
      )
    const { nlink: names = 1 } = statSync(this.#ledger, { throwIfNoEntry: false }) ?? {}
    /* Each name of a file has a lock and a journal of its own. */
    if (names > 1)
      throw ledgerUnusable(
        `${this.#path}: it has ${names} names (hard links), and its lock and its journal are beside one of them`,
        'Remove the other names (`find -samefile` finds them), or replace each by a copy of `certify ledger backup`.',
      )
  }

  /** Records the highest identifier after a commit. */
  advanceTo(id: number): void {
    if (this.#highest === undefined || id <= this.#highest) return
    this.#seen = Math.max(this.#seen, id)
    /* The commit is on the disk: it must not be reported as failed. The next one tries again. */
    attempt(() => {
      /* Again: if this process was stopped during its commit, another one may have gone on. */
      this.read()
      if (id > (this.#highest ?? id)) this.#write(numberLine(id), 0, false)
    })
  }

  /** The ledger has no record: it is new, unless something is known about it. */
  begin(): void {
    if (this.#text() === '') this.accept(0)
  }

  /** A person has accepted the loss of what is missing. */
  accept(id: number): void {
    this.#write(numberLine(id), 0)
    this.#seen = id
  }

  /** Records that the ledger is damaged or, after everything in it was read, that it is whole. */
  setDamaged(isDamaged: boolean): void {
    this.isDamaged = isDamaged
    attempt(() => this.#write(isDamaged ? DAMAGED : WHOLE, NUMBER_BYTES))
  }

  get #acceptLoss(): string {
    return (
      `\`certify ledger check --accept-loss ${ledgerFlag(this.#path)}\` (\`acceptLoss\` of openLedger) goes on without it: ` +
      'candidates in the missing part may then be invited twice.'
    )
  }

  /*
   * The number and the mark are written apart, so that neither writes an older value of the other. Not truncated first: a
   * process killed in between would leave it empty.
   */
  #write(text: string, at: number, isNew = this.#text() === ''): void {
    const file = openSync(this.#file, constants.O_WRONLY | constants.O_CREAT | NO_LINK, 0o600)
    try {
      writeSync(file, text, at)
      if (isNew) fsyncSync(file)
    } finally {
      closeSync(file)
    }
    if (isNew) attempt(() => giveToOwnerOf(this.#ledger, this.#file))
  }

  /* Empty only if there is no such file, or if it was never written. What cannot be read may say anything. */
  #text(): string {
    try {
      const file = openSync(this.#file, 'r')
      try {
        return content.toString('latin1', 0, readSync(file, content, 0, content.length, 0))
      } finally {
        closeSync(file)
      }
    } catch (error) {
      if ((error as { readonly code?: unknown }).code === 'ENOENT') return ''
      throw unusableBy(error, this.#file)
    }
  }
}

const numberLine = (id: number) => `${String(id).padStart(NUMBER_BYTES - 1)}\n`
const NUMBER_BYTES = 17
/* Equally long, so that one replaces the other. */
const DAMAGED = 'damaged\n'
const WHOLE = '       \n'
const content = Buffer.alloc(NUMBER_BYTES + DAMAGED.length)
/* Windows has no such flag. */
const NO_LINK = (constants.O_NOFOLLOW as number | undefined) ?? 0
