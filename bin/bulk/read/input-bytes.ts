import { randomUUID } from 'node:crypto'
import { createReadStream, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CliError, systemCode } from '../../cli-error.ts'
import type { Io } from '../../io.ts'
import { fileError } from './file-error.ts'
import { NamelessFile } from './nameless-file.ts'

export class InputBytes {
  readonly #name: string
  readonly #bytes: AsyncIterator<Uint8Array>
  readonly #copy: Copy | undefined
  size = 0

  /**
   * @param file a path, or `-` for stdin
   * @param isCopied whether a copy is kept for {@link readAgain}: the file may have changed by then
   * @throws CliError if it cannot be read, or there is no room for the copy
   */
  constructor(io: Io, file: string, isCopied: boolean) {
    this.#name = file === '-' ? 'stdin' : file
    if (file !== '-') {
      const stat = onSystemError(() => statSync(file), this.#unreadable)
      if (stat.isDirectory()) throw this.#unreadable('it is a folder')
    }
    /* Before the copy: from here on a signal no longer ends the process. */
    const { interruption } = io
    this.#copy = isCopied ? new Copy() : undefined
    const source = file === '-' ? io.stdin.bytes(interruption) : bytesOf(file, interruption)
    this.#bytes = source[Symbol.asyncIterator]()
  }

  /** Reads it from the start, once. @throws CliError if it cannot be read, or there is no room for the copy */
  async *read(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const { value, done } = await this.#bytes.next().catch((error: unknown) => {
        throw asCliError(error, this.#unreadable)
      })
      if (done === true) return
      this.size += value.length
      this.#copy?.write(value)
      yield value
    }
  }

  readAgain(): AsyncIterable<Uint8Array> {
    if (this.#copy === undefined) throw new Error('there is no copy')
    return this.#copy.read()
  }

  async close(): Promise<void> {
    this.#copy?.close()
    await this.#bytes.return?.()
  }

  readonly #unreadable = (reason: string): CliError =>
    fileError(`${this.#name} cannot be read (${reason}).`, 'Give the path of a file that you may read, or - for stdin.')
}

function bytesOf(file: string, signal: AbortSignal): AsyncIterable<Uint8Array> {
  /* The reader gets its errors. Without a listener, an error after the last read would end the process. */
  return createReadStream(file, { signal }).on('error', () => {})
}

/* What was read, in the folder for temporary files. */
class Copy {
  readonly #file = withRoom(() => new NamelessFile(join(tmpdir(), `certify-${randomUUID()}`)))
  #size = 0

  write(bytes: Uint8Array): void {
    withRoom(() => this.#file.write(bytes, this.#size))
    this.#size += bytes.length
  }

  read(): AsyncIterable<Buffer> {
    return this.#file.read()
  }

  close(): void {
    this.#file.close()
  }
}

function withRoom<T>(act: () => T): T {
  return onSystemError(act, (code) =>
    fileError(
      `what was read cannot be kept in the folder for temporary files, ${tmpdir()} (${code}).`,
      'Make room there, or set TMPDIR to another folder.',
    ),
  )
}

function onSystemError<T>(act: () => T, describe: (code: string) => CliError): T {
  try {
    return act()
  } catch (error) {
    throw asCliError(error, describe)
  }
}

/* Only an error of a system call is about the file. */
function asCliError(error: unknown, describe: (code: string) => CliError): unknown {
  return error instanceof Error && 'syscall' in error ? describe(systemCode(error)) : error
}
