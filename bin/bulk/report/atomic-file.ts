import { randomUUID } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { CliError } from '../../cli-error.ts'

/**
 * A file that appears whole or not at all, readable for its owner alone. It is written beside its place, which is tried
 * before anything is sent, and takes it in the end.
 */
export class AtomicFile {
  readonly flag: string
  /** Where it will be. */
  readonly path: string
  readonly #draft: string
  readonly #descriptor: number
  #pending = ''
  #written = 0
  #isOpen = true

  /** @throws CliError where it cannot be written */
  constructor(flag: string, path: string) {
    this.flag = flag
    this.path = path
    const place = this.#reporting(NOTHING_SENT, () => placeOf(path))
    removeLeftBehind(place)
    this.#draft = `${place}.${process.pid}.${randomUUID()}.part`
    this.#descriptor = this.#reporting(NOTHING_SENT, () => openSync(this.#draft, 'wx', 0o600))
    this.#place = place
  }

  readonly #place: string

  /** Takes the room that it may need, so that a disk that is too full is found now. @throws CliError */
  reserve(sizeBytes: number): void {
    const zeros = Buffer.alloc(PIECE_BYTES)
    this.#reporting(NOTHING_SENT, () => {
      for (let at = 0; at < sizeBytes; at += zeros.length) {
        writeSync(this.#descriptor, zeros, 0, Math.min(zeros.length, sizeBytes - at), at)
      }
    })
  }

  /** @throws CliError where the disk does not take it */
  write(text: string): void {
    this.#pending += text
    if (this.#pending.length >= PIECE_BYTES) this.#flush()
  }

  /** Puts it into its place. @throws CliError */
  keep(): void {
    this.#flush()
    this.#reporting('', () => {
      ftruncateSync(this.#descriptor, this.#written)
      fsyncSync(this.#descriptor)
      this.#close()
      renameSync(this.#draft, this.#place)
    })
  }

  /** Leaves what is in its place as it is. */
  discard(): void {
    if (!this.#isOpen) return
    this.#close()
    rmSync(this.#draft, { force: true })
  }

  #flush(): void {
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

  #close(): void {
    this.#isOpen = false
    closeSync(this.#descriptor)
  }

  #reporting<T>(after: string, act: () => T): T {
    try {
      return act()
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error
      throw new CliError(
        `${this.flag}: ${this.path} cannot be written (${String(error.code)}).${after}`,
        'Give the path of a file, in a folder that you may write to, on a disk with room.',
        { code: 'OUTPUT_FAILED', exitCode: after === '' ? 1 : 2 },
      )
    }
  }
}

const NOTHING_SENT = ' Nothing was sent.'
const PIECE_BYTES = 2 ** 16

/* Drafts of processes that were killed: they hold the data of candidates. A container often has the pid of the one before it. */
function removeLeftBehind(place: string): void {
  try {
    const start = `${basename(place)}.`
    for (const name of readdirSync(dirname(place))) {
      const [, pid] = name.startsWith(start) ? (DRAFT.exec(name.slice(start.length)) ?? []) : []
      if (pid === undefined || (Number(pid) !== process.pid && isRunning(Number(pid)))) continue
      rmSync(join(dirname(place), name), { force: true })
    }
  } catch {
    /* A folder that cannot be listed: what it says to a file comes next. */
  }
}

/* Earlier versions had the pid alone. */
const DRAFT = /^(\d+)(?:\.[\da-f-]{36})?\.part$/

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code !== 'ESRCH'
  }
}

/* A link to a file stays a link. Devices and pipes cannot be replaced by a file, and must not be. */
function placeOf(path: string): string {
  const place = lstatSync(path, { throwIfNoEntry: false }) === undefined ? path : realpathSync(path)
  const found = lstatSync(place, { throwIfNoEntry: false })
  if (found === undefined || found.isFile()) return place
  throw Object.assign(new Error('no file'), { code: found.isDirectory() ? 'EISDIR' : 'not a regular file' })
}
