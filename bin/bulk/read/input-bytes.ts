import { randomUUID } from 'node:crypto'
import { closeSync, createReadStream, openSync, read, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { CliError } from '../../cli-error.ts'
import type { Io } from '../../io.ts'
import { fileError } from './file-error.ts'

/** The bytes of a file, or of stdin, as they are read for the first time. */
export class Source {
  readonly #name: string
  readonly #bytes: AsyncIterator<Uint8Array>
  readonly #copy: Copy | undefined
  /** How many were read so far. */
  sizeBytes = 0

  /**
   * @param file a path, or `-` for stdin
   * @param isCopied whether {@link readAgain} will be called. What was read is then kept: the file may be another one by then
   * @throws CliError where it cannot be read, or there is no room for the copy
   */
  constructor(io: Io, file: string, isCopied: boolean) {
    const isStdin = file === '-'
    this.#name = isStdin ? 'stdin' : file
    if (!isStdin && this.#readable(() => statSync(file)).isDirectory()) throw unreadable(file, 'it is a folder')
    this.#copy = isCopied ? new Copy() : undefined
    this.#bytes = (isStdin ? io.stdin.bytes(io.interruption) : bytesOf(file, io.interruption))[Symbol.asyncIterator]()
  }

  /** From the start, once. @throws CliError where it cannot be read, or there is no room for the copy */
  async *read(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const { value, done } = await this.#bytes.next().catch((error: unknown) => {
        throw asCliError(error, (code) => unreadable(this.#name, code))
      })
      if (done === true) return
      this.sizeBytes += value.length
      this.#copy?.write(value)
      yield value
    }
  }

  /** What was read, from the copy. */
  readAgain(): AsyncIterable<Uint8Array> {
    if (this.#copy === undefined) throw new Error('no copy was asked for')
    return this.#copy.read()
  }

  /** Closes the file, and removes the copy. */
  async close(): Promise<void> {
    this.#copy?.close()
    await this.#bytes.return?.()
  }

  #readable<T>(act: () => T): T {
    try {
      return act()
    } catch (error) {
      throw asCliError(error, (code) => unreadable(this.#name, code))
    }
  }
}

function bytesOf(file: string, signal: AbortSignal): AsyncIterable<Uint8Array> {
  /* Whoever reads gets its error; a stream that nobody reads any more would throw it at the process. */
  return createReadStream(file, { signal }).on('error', () => {})
}

/* A file that has no name any more, so that the system removes it with the process, however that ends. */
class Copy {
  readonly #path = join(tmpdir(), `certify-${randomUUID()}`)
  readonly #descriptor = roomy(() => openSync(this.#path, 'wx+', 0o600))
  readonly #isNameless = isRemoved(this.#path)

  write(bytes: Uint8Array): void {
    roomy(() => {
      for (let written = 0; written < bytes.length; ) written += writeSync(this.#descriptor, bytes, written)
    })
  }

  async *read(): AsyncGenerator<Uint8Array> {
    for (let at = 0; ; ) {
      const piece = Buffer.allocUnsafe(PIECE_BYTES)
      const { bytesRead } = await promisify(read)(this.#descriptor, piece, 0, PIECE_BYTES, at)
      if (bytesRead === 0) return
      at += bytesRead
      yield piece.subarray(0, bytesRead)
    }
  }

  close(): void {
    closeSync(this.#descriptor)
    if (!this.#isNameless) isRemoved(this.#path)
  }
}

const PIECE_BYTES = 2 ** 16

/* Not every system removes a name while the file is open. */
function isRemoved(path: string): boolean {
  try {
    rmSync(path)
    return true
  } catch {
    return false
  }
}

function roomy<T>(write: () => T): T {
  try {
    return write()
  } catch (error) {
    throw asCliError(error, (code) => {
      const message = `what was read cannot be kept in the folder for temporary files, ${tmpdir()} (${code}).`
      return fileError(message, 'Make room there, or set TMPDIR to another folder.')
    })
  }
}

/* By the code of the system; any other error is not about the file. */
function asCliError(error: unknown, describe: (code: string) => CliError): unknown {
  return error instanceof Error && 'syscall' in error && 'code' in error ? describe(String(error.code)) : error
}

function unreadable(name: string, reason: string): CliError {
  return fileError(`${name} cannot be read (${reason}).`, 'Give the path of a file that you may read, or - for stdin.')
}
