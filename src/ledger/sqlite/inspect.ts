import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { CertifyError } from '../../index.ts'
import { ledgerUnusable } from '../rules/errors.ts'
import { type DriverName, loadDriver } from './driver.ts'
import { lastCommitOf } from './last-commit.ts'
import { removed } from './missing-commits.ts'
import { fileSystemOf, refuseLoneFile } from './mounts.ts'
import { freeBytesAt } from './room.ts'
import { checkAccess, unusableBy } from './sqlite-errors.ts'

/** What can be known of a ledger without opening or creating it. */
export interface LedgerInspection {
  /** The SQLite that would be used. */
  readonly driver: DriverName | undefined
  /** Why there is none. */
  readonly driverError: CertifyError | undefined
  /** Whether the file exists. */
  readonly exists: boolean
  /** Why it cannot be opened or created there. */
  readonly placeError: CertifyError | undefined
  /** The free room of its disk; `undefined` if the system does not say. */
  readonly freeBytes: number | undefined
  /** The type of its file system, as in `ext4`. Linux only. */
  readonly fileSystem: string | undefined
  /** Why a ledger does not belong on that file system. */
  readonly risk: 'network' | 'memory' | undefined
}

/** Checks whether a ledger can be used here. It opens, creates and changes nothing. */
export function inspectLedger(path: string): LedgerInspection {
  const [driver, driverError] = attempt(path, () => loadDriver().name)
  const file = existsSync(path) ? realpathSync(path) : resolve(path)
  const exists = existsSync(file)
  const place = nearestExisting(file)
  const [, placeError] = attempt(path, () => checkPlace(file, path))
  const fileSystem = fileSystemOf(place)
  const risk = fileSystem === undefined ? undefined : riskOf(fileSystem)
  return { driver, driverError, exists, placeError, freeBytes: freeBytesAt(place), fileSystem, risk }
}

function attempt<T>(path: string, work: () => T): readonly [T | undefined, CertifyError | undefined] {
  try {
    return [work(), undefined]
  } catch (error) {
    return [undefined, unusableBy(error, path) as CertifyError]
  }
}

function checkPlace(file: string, path: string): void {
  const place = nearestExisting(file)
  if (place !== file && existsSync(lastCommitOf(file))) throw removed(path, lastCommitOf(file))
  if (place === file) {
    if (!statSync(file).isFile()) throw ledgerUnusable(`${path}: it is no file`, 'Give the path of a file.')
    checkAccess(file)
    refuseLoneFile(file, path)
  }
  /* The other files of the ledger are beside it. */
  const folder = place === file ? dirname(file) : place
  if (!statSync(folder).isDirectory()) throw ledgerUnusable(`${path}: a part of it is no folder`, 'Give another path.')
  accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
}

function nearestExisting(path: string): string {
  const parent = dirname(path)
  return existsSync(path) || parent === path ? path : nearestExisting(parent)
}

/* Locks and syncs may not work, or nothing survives a restart. */
function riskOf(fileSystem: string): LedgerInspection['risk'] {
  if (/^(nfs\d?|cifs|smb\w*|9p|virtiofs|vboxsf|prl_fs|fuse\.(?!ext|ntfs)\w.*|ceph|glusterfs|afs)$/.test(fileSystem)) {
    return 'network'
  }
  return /^(tmpfs|ramfs)$/.test(fileSystem) ? 'memory' : undefined
}
