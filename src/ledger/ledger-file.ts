import {
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { optionsInvalid } from '../errors.ts'
import { isUrl, NOT_EXPANDED, unexpandedIn } from '../util/paths.ts'
import { HighestId } from './highest-id.ts'
import { ledgerUnusable } from './rules/errors.ts'
import { checkAccess } from './sqlite-errors.ts'

/** @throws CertifyError CONFIG_INVALID if it is not the path of a file */
export function checkPath(path: unknown, operation = 'openLedger'): void {
  const text = path instanceof URL ? path.href : (path ?? '')
  const refuse = (rule: string, hint?: string) => {
    throw optionsInvalid(operation, [{ path: 'path', rule }], hint)
  }
  if (typeof text !== 'string') return refuse("must be a string, as in openLedger('invites.ledger')")
  if (text.trim() === '')
    return refuse('must be the path of a file; if it comes from an environment variable, that is not set')
  /* It may have a password, and would be a path relative to the working folder. */
  if (isUrl(text)) return refuse('must be the path of a file; it is a URL', NOT_A_URL)
  const unexpanded = unexpandedIn(text, process.platform)
  if (unexpanded !== undefined) refuse(`has ${unexpanded}`, NOT_EXPANDED)
}

const NOT_A_URL =
  'For Postgres, use openPostgresLedger from certify-sdk/ledger/postgres. Convert a file URL with fileURLToPath of node:url. ' +
  'Write ./ before a file name with a colon.'
/**
 * Finds the file of a ledger, or creates it in a folder that exists. Only its owner can read it.
 *
 * @param acceptLoss creates it even if it was there before
 * @returns its real path
 * @throws CertifyError LEDGER_UNUSABLE, or an error of the file system
 */
export function findOrCreateFile(path: string, acceptLoss: boolean): string {
  const named = realPathOf(resolve(path))
  const before = statSync(named, { throwIfNoEntry: false })
  if (!acceptLoss && (before === undefined || before.size === 0)) new HighestId(path, named).check(0)
  /* SQLite would use the umask. Only if there is no file: closing it would release this process's locks on it. */
  if (before === undefined) closeSync(openSync(named, 'a', 0o600))
  const file = realpathSync(named)
  const found = statSync(file)
  if (!found.isFile()) {
    const what = found.isDirectory() ? 'it is a folder' : 'it is a device or a pipe'
    throw ledgerUnusable(`${path}: ${what}`, 'Give the path of a file.')
  }
  checkAccess(file)
  refuseMountedFile(file, path)
  if ((found.mode & 0o077) !== 0) chmodSync(file, 0o600)
  return file
}

/* Also of a link whose file is gone: what is known about a ledger is beside its file, not beside the link. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    const { code } = error as { readonly code?: unknown }
    if (code !== 'ENOENT') throw error
  }
  const target = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true ? readlinkSync(path) : undefined
  const folder = realpathSync(dirname(path))
  return target === undefined ? join(folder, basename(path)) : realPathOf(resolve(folder, target))
}

/** The size of SQLite's journal in bytes: 0 after each commit, `undefined` if there is none. */
export function journalSize(file: string): number | undefined {
  return statSync(`${file}-journal`, { throwIfNoEntry: false })?.size
}

/* SQLite's journal is beside the file. If only the file is mounted, other containers do not see the journal. */
function refuseMountedFile(file: string, path: string): void {
  const mounts = existsSync(MOUNTS) ? readFileSync(MOUNTS, 'utf8') : ''
  if (!mounts.split('\n').some((line) => unescaped(line.split(' ')[4]) === file)) return
  throw ledgerUnusable(
    `${path}: it is mounted as a single file, and its journal is beside it`,
    'Mount the folder instead of the file, and use the path in it.',
  )
}

const MOUNTS = '/proc/self/mountinfo'

/* A space is written as \040. */
function unescaped(field = ''): string {
  return field.replaceAll(/\\([0-7]{3})/g, (_escape, octal: string) => String.fromCodePoint(Number.parseInt(octal, 8)))
}
