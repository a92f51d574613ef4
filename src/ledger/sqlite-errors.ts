import { accessSync, constants } from 'node:fs'
import { dirname } from 'node:path'
import { isCertifyError } from '../errors.ts'
import { ledgerUnusable } from './rules/errors.ts'

/**
 * The ledger's error for an error of SQLite or of the file system, with the system's own reason. It contains no
 * path but the caller's and the system's.
 */
export function unusableBy(error: unknown, path: string): unknown {
  if (isCertifyError(error)) return error
  const code = sqliteCode(error) ?? (error as { code?: unknown } | null)?.code
  if (typeof code !== 'string') return error
  const [what, hint] = SENTENCES[code] ?? ['it cannot be used', 'Check the file and its disk.']
  return ledgerUnusable(
    `${path}: ${what} (${reasonOf(error, code)})`,
    hint,
    FOR_GOOD.has(code) ? 'for good' : undefined,
  )
}

/* `errcode` has the specific case, too: sqlite.org/rescode.html. Node's permission model names what it denies. */
function reasonOf(error: unknown, code: string): string {
  const { errcode, sqliteExtendedCode, permission, resource } = error as Partial<Record<string, unknown>>
  const number = sqliteExtendedCode ?? errcode
  if (typeof number === 'number') return `SQLite error ${number}`
  return typeof resource === 'string' ? `${code}: ${String(permission)} of ${resource}` : code
}

/* The file is no ledger any more, or not the one that was opened. */
const FOR_GOOD: ReadonlySet<string> = new Set(['MOVED', 'NOTADB', 'CORRUPT'])

const ACCESS = [
  'this process may not read or write it',
  'Check the owner and the permissions of the file and of its folder.',
] as const
const READONLY = [
  'it is read-only',
  'Check the permissions of the file and of its folder, and whether the disk is mounted read-only.',
] as const
const FULL = ['the disk is full', 'Free some space, then run this again.'] as const
const NO_FOLDER = ['a part of the path is not a folder', 'Give another path.'] as const
const NO_LOCKS = [
  'it cannot be locked',
  'Keep the ledger on a disk of this machine: some network shares have no locks.',
] as const
const NOT_A_LEDGER = 'Nothing was changed in it. Give another path, or restore a copy.'

const SENTENCES: Readonly<Record<string, readonly [what: string, hint: string]>> = {
  BUSY: ['another process has locked it', 'End the other process, or try again later.'],
  LOCKED: ['another process has locked it', 'End the other process, or try again later.'],
  FULL,
  ENOSPC: FULL,
  MOVED: [
    'it was removed, moved or replaced while it was in use',
    'Restore it, then run this again. What was sent since is not in it: see the report.',
  ],
  READONLY,
  EROFS: READONLY,
  PERM: ACCESS,
  CANTOPEN: [
    'it or its journal cannot be opened',
    'Check the owner and the permissions of the file and of its folder, and how many files this process has open.',
  ],
  EACCES: ACCESS,
  EPERM: ACCESS,
  ERR_ACCESS_DENIED: [
    'the permission model denies it',
    'Let this program read and write the folder of the ledger, and read /proc (--allow-fs-read, --allow-fs-write).',
  ],
  EISDIR: ['it is a folder', 'Give the path of a file.'],
  ENOENT: ['its folder does not exist', 'Make the folder, or give another path.'],
  ENOTDIR: NO_FOLDER,
  EEXIST: NO_FOLDER,
  NOTADB: ['it is not a ledger', NOT_A_LEDGER],
  CORRUPT: ['it is damaged', NOT_A_LEDGER],
  IOERR_LOCK: NO_LOCKS,
  ENOLCK: NO_LOCKS,
  IOERR: ['reading or writing it failed', 'Check the disk.'],
}

/** @throws an error for {@link unusableBy} if this process may not read and write the file */
export function checkAccess(file: string): void {
  accessSync(file, constants.R_OK)
  /* The journal is beside it. */
  accessSync(dirname(file), constants.R_OK | constants.W_OK | constants.X_OK)
  try {
    accessSync(file, constants.W_OK)
  } catch {
    throw Object.assign(new Error('read-only'), { code: 'EROFS' })
  }
}

/**
 * SQLite's code of an error, as in `BUSY`; `IOERR_LOCK` for every problem with a lock; `undefined` for another kind of
 * error.
 */
export function sqliteCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  /* In the package, `errcode` may be the kind alone. */
  const { errcode: kindOf, sqliteExtendedCode: errcode = kindOf } = error as Partial<Record<string, unknown>>
  if (typeof errcode !== 'number') return undefined
  if (errcode === READONLY_DBMOVED) return 'MOVED'
  /* The low byte is the kind of error, the rest the specific case. */
  const [kind, specific] = [errcode & 0xff, errcode >> 8]
  return kind === 10 && LOCK_CASES.has(specific) ? 'IOERR_LOCK' : (CODES.get(kind) ?? 'ERROR')
}

/** Whether an error is a sign that the file is damaged. */
export function isDamage(error: unknown): boolean {
  const code = sqliteCode(error)
  return code === 'CORRUPT' || code === 'NOTADB'
}

/* In rollback mode, SQLite checks that the file is still in its place. */
const READONLY_DBMOVED = 8 | (4 << 8)

/* The cases of IOERR: UNLOCK, RDLOCK, CHECKRESERVEDLOCK, LOCK and SHMLOCK. */
const LOCK_CASES: ReadonlySet<number> = new Set([8, 9, 14, 15, 20])

const CODES: ReadonlyMap<number, string> = new Map([
  [3, 'PERM'],
  [5, 'BUSY'],
  [6, 'LOCKED'],
  [8, 'READONLY'],
  [10, 'IOERR'],
  [11, 'CORRUPT'],
  [13, 'FULL'],
  [14, 'CANTOPEN'],
  [19, 'CONSTRAINT'],
  [26, 'NOTADB'],
])
