import { chmodSync, existsSync, lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { systemCode } from './cli-error.ts'
import type { Io } from './io.ts'

type Reader = Pick<Io, 'readFile'>

/** Reads a text file. @throws the error that `failure` makes from the reason why it cannot be read */
export function readTextFile({ readFile }: Reader, path: string, failure: (reason: string) => Error): string {
  try {
    return readFile(path)
  } catch (error) {
    throw failure(`cannot be read (${systemCode(error)})`)
  }
}

/** Reads a file with one secret in it. @throws the error that `failure` makes from the reason why there is none */
export function readSecretFile(io: Reader, path: string, failure: (reason: string) => Error): string {
  const secret = readTextFile(io, path, failure).trim()
  if (secret === '') throw failure('is empty')
  return secret
}

/**
 * Replaces a file atomically: a reader finds the old one or the new one.
 *
 * @param mode its permissions, whatever the umask. Default: only its owner can read it
 * @throws Error as {@link refuseSpecialFile}, or of the file system
 */
export function replaceFile(path: string, text: string, mode = 0o600): void {
  refuseSpecialFile(path)
  /* In containers, processes often have the same pid: a file left by a killed one must not conflict. */
  const next = `${path}.${process.pid}.${Date.now()}.new`
  try {
    writeFileSync(next, text, { mode: 0o600, flag: 'wx', flush: true })
    chmodSync(next, mode)
    renameSync(next, path)
  } finally {
    rmSync(next, { force: true })
  }
}

/**
 * Refuses to overwrite anything but a regular file. In a folder such as /tmp, a symbolic link may be another user's and
 * lead to a file of yours. Replacing a device, a pipe or a socket would remove it.
 *
 * @throws Error with a `code` for a message
 */
export function refuseSpecialFile(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined || found.isFile()) return
  const code = found.isSymbolicLink() ? 'it is a symbolic link' : 'it is not a regular file'
  throw Object.assign(new Error(code), { code: found.isDirectory() ? 'EISDIR' : code })
}

/**
 * Makes a folder that only its owner can read, with its parents. An existing folder stays as it is. Without mkdir's
 * `recursive`, which never returns under /proc, where the system says ENOENT below a folder that exists.
 */
export function makeFolder(path: string): void {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    /* Unless another process was faster. */
    if (!existsSync(path)) throw error
  }
}
