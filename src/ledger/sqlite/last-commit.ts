import { closeSync, constants, fsyncSync, openSync, readSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { ledgerUnusable } from '../rules/errors.ts'
import type { Database } from './driver.ts'

/** The identity of a ledger, and its number of commits. */
export interface CommitState {
  readonly id: string
  readonly commits: number
}

/** Whether a database counts its commits: an older schema does not. */
export function countsCommits(database: Database): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'ledger'").get() !== undefined
}

export function commitStateOf(database: Database): CommitState {
  return database.prepare('SELECT id, commits FROM ledger').get() as CommitState
}

/**
 * The number of the last reported commit, in a small file beside the ledger. SQLite does not notice if its log is lost
 * or cut; this number shows it. It is written after its commit is on the disk, so no crash leaves it ahead of the
 * ledger.
 */
export class LastCommit {
  readonly #descriptor: number
  readonly #id: string

  /** @param isKnown whether the file exists, and has a valid number of this ledger */
  constructor(file: string, { id, commits }: CommitState, isKnown: boolean) {
    this.#id = id
    this.#descriptor = openLast(file, constants.O_RDWR | constants.O_CREAT)
    if (isKnown) return
    this.#write(commits)
    fsyncSync(this.#descriptor)
    synchroniseFolder(dirname(file))
  }

  /** Records a reported commit. Another process may have recorded a later one. */
  advanceTo(commits: number): void {
    if ((readFrom(this.#descriptor, this.#id) ?? 0) < commits) this.#write(commits)
  }

  close(): void {
    closeSync(this.#descriptor)
  }

  #write(commits: number): void {
    writeSync(this.#descriptor, `${this.#id} ${String(commits).padStart(16, '0')}\n`, 0)
  }
}

/** The last reported commit of a ledger; `undefined` if there is no number, or it is another ledger's. */
export function lastReported(file: string, id: string): number | undefined {
  let descriptor: number
  try {
    descriptor = openLast(file, constants.O_RDONLY)
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return undefined
    throw error
  }
  try {
    return readFrom(descriptor, id)
  } finally {
    closeSync(descriptor)
  }
}

/* It may have another owner than the ledger, for example after a run as root. */
function openLast(file: string, flags: number): number {
  try {
    return openSync(lastCommitOf(file), flags, 0o600)
  } catch (error) {
    const { code } = error as { code?: unknown }
    if (code !== 'EACCES' && code !== 'EPERM') throw error
    throw ledgerUnusable(
      `${lastCommitOf(file)}: this process may not read or write it`,
      'Check the owner and the permissions of that file.',
    )
  }
}

/** The file beside a ledger that has the number. */
export function lastCommitOf(file: string): string {
  return `${file}-last`
}

function readFrom(descriptor: number, id: string): number | undefined {
  const text = Buffer.alloc(64)
  const length = readSync(descriptor, text, 0, text.length, 0)
  const [, found, commits] = /^(\w+) (\d{16})\n/.exec(text.toString('latin1', 0, length)) ?? []
  return found === id ? Number(commits) : undefined
}

/* A new file is durable only when its folder is. Windows has nothing like it. */
function synchroniseFolder(folder: string): void {
  if (process.platform === 'win32') return
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
