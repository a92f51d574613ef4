import { accessSync, constants, existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { isCertifyError } from '../../src/index.ts'
import type { Ledger } from '../../src/ledger/index.ts'
import { CliError, systemCode } from '../cli-error.ts'
import { type LedgerPlace, readLedgerPlace } from '../config/ledger.ts'
import { postgresOptions } from '../config/ledger-url.ts'
import type { Context } from '../context.ts'
import { openOrMake } from '../ledger/open-ledger.ts'
import { type CheckResult, fail, pass, warn } from './check-result.ts'

/* As for the clock of the service: later, open invites seem to have expired. */
const MOST_SKEW_MS = 5 * 60_000

/** Checks whether the ledger can be used: its file or database, its driver, its clock. It makes no file. */
export async function* checkLedger({ io, program }: Context): AsyncGenerator<CheckResult> {
  let place: LedgerPlace
  try {
    place = readLedgerPlace(io, program.root.opts(), {})
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    yield fail('ledger', error.message, error.hint, error.exitCode)
    return
  }
  const { value: path, origin } = place.path
  const isFile = place.databaseUrl === undefined
  if (isFile && !existsSync(path) && !existsSync(`${path}-highest-id`)) {
    const code = writeFailure(nearestFolder(path))
    yield code === undefined
      ? pass('ledger', `${path} (${origin}), not made yet`)
      : fail('ledger', `${path} (${origin}) cannot be made (${code})`, 'Give another path with CERTIFY_LEDGER.', 2)
    return
  }
  try {
    const ledger = await openToLook(io, place)
    try {
      const { driver } = await ledger.check()
      const [now, before] = [await ledger.now(), io.now()]
      yield pass('ledger', `${path} (${origin}), ${driver}`)
      if (!isFile) yield clockResult(now - before)
    } finally {
      await ledger.close()
    }
  } catch (error) {
    if (!isCertifyError(error) && !(error instanceof CliError)) throw error
    yield fail('ledger', error.message, error.hint ?? 'Check the ledger.', 2)
  }
}

/* A database that cannot be reached is not waited for. */
async function openToLook(io: Context['io'], place: LedgerPlace): Promise<Ledger> {
  if (place.databaseUrl === undefined) return openOrMake(io, place)
  const { openPostgresLedger } = await import('../../src/ledger/postgres.ts')
  return openPostgresLedger({ ...postgresOptions(place.databaseUrl), unreachableTimeoutMs: 0 })
}

function nearestFolder(path: string): string {
  const parent = dirname(path)
  return existsSync(parent) || parent === path ? parent : nearestFolder(parent)
}

function writeFailure(folder: string): string | undefined {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    return systemCode(error)
  }
}

function clockResult(aheadMs: number): CheckResult {
  const seconds = Math.round(Math.abs(aheadMs) / 100) / 10
  const text = `${seconds} s ${aheadMs < 0 ? 'behind' : 'ahead of'} this machine`
  return Math.abs(aheadMs) <= MOST_SKEW_MS
    ? pass('ledger clock', text)
    : warn(
        'ledger clock',
        text,
        'Set the clock of the database or of this machine: leases and expiries use that of the database.',
      )
}
