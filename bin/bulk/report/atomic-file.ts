import { randomUUID } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { codeOf } from '../../cli-error.ts'
import { refuseSpecialFile } from '../../replace-file.ts'
import { outputError } from '../../terminal/output.ts'
import { placeBeside } from './earlier-file.ts'

/**
 * A file that appears complete or not at all, readable only for its owner. It is written as a draft in the same folder, and
 * renamed at the end.
 */
export class AtomicFile {
  readonly flag: string
  readonly path: string
  readonly #draft: string
  readonly #descriptor: number
  #pending = ''
  #written = 0
  #isOpen = true
  /** How many bytes were written to it. */
  size = 0

  /** @throws CliError if it cannot be written */
  constructor(flag: string, path: string) {
    this.flag = flag
    this.path = path
    this.#reporting(NOTHING_SENT, () => refuseSpecialFile(path))
    removeOldDrafts(path)
    this.#draft = `${path}.${process.pid}.${randomUUID()}.part`
    this.#descriptor = this.#reporting(NOTHING_SENT, () => openSync(this.#draft, 'wx+', 0o600))
    OPEN.add(this.#draft)
  }

  /** Reserves disk space: a full disk is found before anything is sent. @throws CliError */
  reserve(sizeBytes: number): void {
    const zeros = Buffer.alloc(PIECE_BYTES)
    this.#reporting(NOTHING_SENT, () => {
      for (let at = 0; at < sizeBytes; at += zeros.length) {
        writeSync(this.#descriptor, zeros, 0, Math.min(zeros.length, sizeBytes - at), at)
      }
    })
  }

  /** @throws CliError if it cannot be written */
  write(text: string): void {
    this.#pending += text
    this.size += Buffer.byteLength(text)
    if (this.#pending.length >= PIECE_BYTES) this.flush()
  }

  /** What was written to it. @throws CliError */
  read(at: number, length: number): string {
    this.flush()
    const bytes = Buffer.alloc(length)
    this.#reporting('', () => readSync(this.#descriptor, bytes, 0, length, at))
    return bytes.toString()
  }

  /** Completes it, in place of an earlier file of this name. @throws CliError */
  keep(): void {
    this.#complete()
    this.#reporting('', () => renameSync(this.#draft, this.path))
  }

  /** Completes it, and keeps an earlier file of this name under another one: returns that. @throws CliError */
  keepBoth(): string | undefined {
    this.#complete()
    return this.#reporting('', () => placeBeside(this.#draft, this.path))
  }

  discard(): void {
    if (!this.#isOpen) return
    this.#close()
    rmSync(this.#draft, { force: true })
  }

  /** Writes what is not yet on disk. @throws CliError */
  flush(): void {
    const bytes = Buffer.from(this.#pending)
    this.#pending = ''
    this.#reporting('', () => {
      for (let at = 0; at < bytes.length; ) {
        const count = writeSync(this.#descriptor, bytes, at, bytes.length - at, this.#written)
        at += count
        this.#written += count
      }
    })
  }

  #complete(): void {
    this.flush()
    this.#reporting('', () => {
      ftruncateSync(this.#descriptor, this.#written)
      fsyncSync(this.#descriptor)
      this.#close()
    })
  }

  #close(): void {
    this.#isOpen = false
    OPEN.delete(this.#draft)
    closeSync(this.#descriptor)
  }

  #reporting<T>(after: string, act: () => T): T {
    try {
      return act()
    } catch (error) {
      const code = codeOf(error)
      if (code === undefined) throw error
      throw outputError(
        `${this.flag}: ${this.path} cannot be written (${code}).${after}`,
        'Give the path of a file, in a folder that you may write to, on a disk with room.',
        after === '' ? 1 : 2,
      )
    }
  }
}

/* The drafts of this process. */
const OPEN = new Set<string>()

const NOTHING_SENT = ' Nothing was sent.'
const PIECE_BYTES = 2 ** 16

/* Drafts of killed processes have personal data. In a container the process often has the same pid as the one before. */
function removeOldDrafts(target: string): void {
  try {
    const start = `${basename(target)}.`
    for (const name of readdirSync(dirname(target))) {
      const [, pid] = name.startsWith(start) ? (DRAFT.exec(name.slice(start.length)) ?? []) : []
      const path = join(dirname(target), name)
      if (pid === undefined || OPEN.has(path) || (Number(pid) !== process.pid && isRunning(Number(pid)))) continue
      rmSync(path, { force: true })
    }
  } catch {
    /* The folder cannot be listed. Whether a file can be made there comes next. */
  }
}

/* Earlier versions wrote only the pid. */
const DRAFT = /^(\d+)(?:\.[\da-f-]{36})?\.part$/

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) !== 'ESRCH'
  }
}
