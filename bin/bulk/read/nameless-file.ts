import { closeSync, openSync, read, rmSync, writeSync } from 'node:fs'
import { promisify } from 'node:util'

/** A file without a name: the system removes it with the process, however that ends. */
export class NamelessFile {
  readonly #path: string
  readonly #descriptor: number
  readonly #isNameless: boolean

  /** @param path a name for a moment, in a folder with room */
  constructor(path: string) {
    this.#path = path
    this.#descriptor = openSync(path, 'wx+', 0o600)
    this.#isNameless = isRemoved(path)
  }

  write(bytes: Uint8Array, at: number): void {
    for (let written = 0; written < bytes.length; ) {
      written += writeSync(this.#descriptor, bytes, written, bytes.length - written, at + written)
    }
  }

  /** Its content in pieces. Places that were never written are zero. */
  async *read(): AsyncGenerator<Buffer> {
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

/* Not every system removes the name of an open file. */
function isRemoved(path: string): boolean {
  try {
    rmSync(path)
    return true
  } catch {
    return false
  }
}
