import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { extname, resolve } from 'node:path'
import { CliError, codeOf } from '../cli-error.ts'
import { refuseSpecialFile } from '../files.ts'
import { outputError } from '../terminal/output.ts'

/**
 * A file that is written at the end, and appears completely or not at all, readable only by its owner. Until then, a
 * draft in the same folder reserves disk space, so that a full disk is found before anything is created.
 */
export class OutputFile {
  readonly path: string
  readonly #flag: string
  readonly #draft: string
  readonly #descriptor: number
  #isOpen = true

  /** @throws CliError if it cannot be written */
  constructor(flag: string, path: string) {
    this.#flag = flag
    this.path = path
    this.#draft = `${path}.${process.pid}.${Date.now()}.part`
    this.#descriptor = this.#reporting(NOTHING_SENT, () => {
      refuseSpecialFile(path)
      return openSync(this.#draft, 'wx', 0o600)
    })
  }

  /** @throws CliError if the disk is full */
  reserve(sizeBytes: number): void {
    this.#reporting(NOTHING_SENT, () => void writeSync(this.#descriptor, Buffer.alloc(sizeBytes), 0, sizeBytes, 0))
  }

  /**
   * Writes the file.
   *
   * @param keepsEarlier gives an earlier file another name: report.csv becomes report.1.csv, or the next free number
   * @returns the new name of the earlier file
   * @throws CliError
   */
  finish(text: string, keepsEarlier: boolean): string | undefined {
    return this.#reporting('', () => {
      refuseSpecialFile(this.path)
      const bytes = Buffer.from(text)
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#descriptor, bytes, at, bytes.length - at, at)
      ftruncateSync(this.#descriptor, bytes.length)
      fsyncSync(this.#descriptor)
      this.#close()
      const earlier = keepsEarlier && existsSync(this.path) ? freeName(this.path) : undefined
      if (earlier !== undefined) renameSync(this.path, earlier)
      renameSync(this.#draft, this.path)
      return earlier
    })
  }

  discard(): void {
    if (this.#isOpen) this.#close()
    rmSync(this.#draft, { force: true })
  }

  #close(): void {
    this.#isOpen = false
    closeSync(this.#descriptor)
  }

  #reporting<T>(after: string, act: () => T): T {
    try {
      return act()
    } catch (error) {
      const code = codeOf(error)
      if (code === undefined) throw error
      throw outputError(
        `${this.#flag}: ${this.path} cannot be written (${code}).${after}`,
        'Give the path of a file, in a folder that you may write to, on a disk with free space.',
        after === '' ? 1 : 2,
      )
    }
  }
}

const NOTHING_SENT = ' Nothing was sent.'

function freeName(path: string): string {
  const ending = extname(path)
  const start = path.slice(0, path.length - ending.length)
  for (let number = 1; ; number += 1) {
    const name = `${start}.${number}${ending}`
    if (!existsSync(name)) return name
  }
}

/** One file would overwrite another. @throws CliError */
export function refuseSame(files: readonly (readonly [name: string, path: string | undefined])[]): void {
  const places = new Map<string, string>()
  for (const [name, path] of files) {
    if (path === undefined || path === '-') continue
    const place = existsSync(path) ? realpathSync(path) : resolve(path)
    const other = places.get(place)
    if (other !== undefined) {
      throw new CliError(`${name} is the same file as ${other}.`, 'Give each a name of its own.')
    }
    places.set(place, name)
  }
}
