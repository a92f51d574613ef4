import { randomUUID } from 'node:crypto'
import { closeSync, createReadStream, openSync, read, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Io } from '../io.ts'
import type { CliError } from '../cli-error.ts'
import { fileError } from './file-error.ts'

/** The bytes of a file, or of stdin. */
export interface Source {
  /** What it is called: the path, or `stdin`. */
  readonly name: string
  readonly sizeBytes: number
  /** From the start. */
  read(): AsyncIterable<Uint8Array>
  /** Lets go of everything, and removes the copy. */
  close(): void
}

/**
 * Opens a file, or stdin for `-`. What can be read only once, and what has to be read again at the end, is copied first: to a
 * file that has no name any more, so that the system removes it with the process, however that ends.
 *
 * @throws CliError where it cannot be read, or there is no room for the copy
 */
export async function openSource(io: Io, file: string, again: boolean): Promise<Source> {
  if (file === '-') return copyOf('stdin', io.stdin.bytes(io.interruption))
  const stat = readable(file, () => statSync(file))
  if (stat.isDirectory()) throw unreadable(file, 'it is a folder')
  if (again || !stat.isFile()) return copyOf(file, createReadStream(file, { signal: io.interruption }))
  /* Opened once: a file that is removed or replaced meanwhile is read to its end all the same. */
  const descriptor = readable(file, () => openSync(file, 'r'))
  return sourceOf(file, descriptor, stat.size, () => closeSync(descriptor))
}

async function copyOf(name: string, bytes: AsyncIterable<Uint8Array>): Promise<Source> {
  const path = join(tmpdir(), `certify-${randomUUID()}`)
  const descriptor = roomy(() => openSync(path, 'wx+', 0o600))
  const isNameless = isRemoved(path)
  const close = () => {
    closeSync(descriptor)
    if (!isNameless) isRemoved(path)
  }
  let sizeBytes = 0
  try {
    for await (const piece of telling(name, bytes)) sizeBytes += roomy(() => writeAll(descriptor, piece))
  } catch (error) {
    close()
    throw error
  }
  return sourceOf(name, descriptor, sizeBytes, close)
}

function sourceOf(name: string, descriptor: number, sizeBytes: number, close: () => void): Source {
  return {
    name,
    sizeBytes,
    read: () => telling(name, bytesOf(descriptor)),
    close,
  }
}

async function* bytesOf(descriptor: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; ; ) {
    const { bytesRead, buffer } = await promisify(read)(descriptor, Buffer.allocUnsafe(PIECE_BYTES), 0, PIECE_BYTES, at)
    if (bytesRead === 0) return
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

const PIECE_BYTES = 2 ** 16

/* Not every system lets go of a name while the file is open. */
function isRemoved(path: string): boolean {
  try {
    rmSync(path)
    return true
  } catch {
    return false
  }
}

function writeAll(descriptor: number, bytes: Uint8Array): number {
  for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written)
  return bytes.length
}

async function* telling(name: string, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes
  } catch (error) {
    throw asTold(error, (code) => unreadable(name, code))
  }
}

function readable<T>(name: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    throw asTold(error, (code) => unreadable(name, code))
  }
}

function roomy<T>(write: () => T): T {
  try {
    return write()
  } catch (error) {
    throw asTold(error, (code) => {
      const message = `what was read cannot be kept in the folder for temporary files, ${tmpdir()} (${code}).`
      return fileError(message, 'Make room there, or set TMPDIR to another folder.')
    })
  }
}

/* What the system says; anything else is no matter of the file. */
function asTold(error: unknown, tell: (code: string) => CliError): unknown {
  return error instanceof Error && 'syscall' in error && 'code' in error ? tell(String(error.code)) : error
}

function unreadable(name: string, reason: string): CliError {
  return fileError(`${name} cannot be read (${reason}).`, 'Give the path of a file that you may read, or - for stdin.')
}
