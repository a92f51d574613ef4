import { tmpdir } from 'node:os'
import type { CertifyError } from '../../src/index.ts'
import type { LedgerInspection } from '../../src/ledger/index.ts'
import { CliError } from '../cli-error.ts'
import { type LedgerPlace, readLedgerPlace } from '../config/ledger.ts'
import type { Context } from '../context.ts'
import { checkDatabase } from './check-database.ts'
import { type CheckResult, fail, pass, warn } from './check-result.ts'

/* Enough for tens of thousands of invites. */
const LITTLE_ROOM_BYTES = 100_000_000

/** Checks whether the ledger can be used: its SQLite, its place, its disk, or its database. It opens and creates nothing. */
export async function* checkLedger({ io, program }: Context): AsyncGenerator<CheckResult> {
  let place: LedgerPlace
  try {
    place = readLedgerPlace(io, program.root.opts(), {})
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    yield fail('ledger', error.message, error.hint, error.exitCode)
    return
  }
  const { inspectLedger } = await import('../../src/ledger/index.ts')
  if (place.databaseUrl !== undefined) {
    yield* checkDatabase(place.databaseUrl, `${place.path.value} (${place.path.origin})`)
    yield planResult(inspectLedger(tmpdir()))
    return
  }
  const { value: path, origin } = place.path
  const found = inspectLedger(path)
  /* Without it only bulk and the commands of the ledger do not work. */
  const isNeeded = place.turnedOnBy !== undefined
  yield found.driverError === undefined
    ? pass('ledger driver', `${found.driver}`)
    : problem('ledger driver', found.driverError, isNeeded)
  yield found.placeError === undefined
    ? pass('ledger', `${path} (${origin})${found.exists ? '' : ', not made yet'}`)
    : problem('ledger', found.placeError, isNeeded)
  yield diskResult(found)
}

function problem(check: string, { message, hint = '' }: CertifyError, isNeeded: boolean): CheckResult {
  return isNeeded ? fail(check, message, hint, 2) : warn(check, message, hint)
}

/* The other commands work without it. */
function planResult({ driver, driverError }: LedgerInspection): CheckResult {
  return driverError === undefined
    ? pass('bulk plan', `${driver}`)
    : warn('bulk plan', 'certify bulk keeps its plan in SQLite, and there is none here', driverError.hint)
}

function diskResult({ freeBytes, fileSystem, risk }: LedgerInspection): CheckResult {
  const room = freeBytes === undefined ? 'its free room is not known' : `${sizeOf(freeBytes)} free`
  const found = fileSystem === undefined ? room : `${room}, ${fileSystem}`
  if (risk === 'network') {
    return warn(
      'ledger disk',
      `${found}: a network share`,
      'Keep the ledger on a disk of this machine: locks may not work.',
    )
  }
  if (risk === 'memory') {
    return warn('ledger disk', `${found}: kept in memory only`, 'Keep the ledger on a disk: this is lost at a restart.')
  }
  const isLittle = freeBytes !== undefined && freeBytes < LITTLE_ROOM_BYTES
  return isLittle
    ? warn('ledger disk', found, 'Free some space: what cannot be recorded is not sent.')
    : pass('ledger disk', found)
}

function sizeOf(bytes: number): string {
  return bytes < 1e9 ? `${Math.floor(bytes / 1e6)} MB` : `${Math.floor(bytes / 1e9)} GB`
}
