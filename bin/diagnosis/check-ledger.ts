import { existsSync, mkdtempSync, rmdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isCertifyError } from '../../src/index.ts'
import { CliError, systemCode } from '../cli-error.ts'
import { fileOf, type LedgerPlace } from '../config/ledger-place.ts'
import type { Context } from '../context.ts'
import { refuseForgettingInCi, useLedger } from '../ledger/open-ledger.ts'
import { type CheckResult, fail, pass, warn } from './check-result.ts'

/* With a larger difference, open invites seem to have expired. */
const MOST_SKEW_MS = 5 * 60_000

/** Checks whether the ledger can be used: its file or database, its driver, its clock. It creates no file. */
export async function* checkLedger(context: Context): AsyncGenerator<CheckResult> {
  let place: LedgerPlace
  try {
    place = context.place()
    refuseForgettingInCi(context.io, place)
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    yield fail('ledger', error.message, error.hint, error.exitCode)
    return
  }
  const { value: path, origin } = place.path
  const shown = `${path} (${origin}), account ${place.account.value} (${place.account.origin})`
  const file = fileOf(place)
  if (file !== undefined && !existsSync(file) && !existsSync(`${file}-highest-id`)) {
    const code = writeFailure(nearestFolder(file))
    const hint = 'Set CERTIFY_LEDGER to another path, or to :memory: if nothing needs to be remembered.'
    yield code === undefined
      ? pass('ledger', `${shown}, does not exist yet`)
      : fail('ledger', `${shown} cannot be created (${code})`, hint, 2)
    return
  }
  try {
    const { driver, aheadMs } = await useLedger(context, async (ledger) => {
      const checked = await ledger.check()
      return { ...checked, aheadMs: (await ledger.now()) - context.io.now() }
    })
    yield pass('ledger', `${shown}, ${driver}`)
    if (place.database !== undefined) yield clockResult(aheadMs)
  } catch (error) {
    if (!isCertifyError(error) && !(error instanceof CliError)) throw error
    yield fail('ledger', error.message, error.hint ?? 'Check the ledger.', 2)
  }
}

function nearestFolder(path: string): string {
  const parent = dirname(path)
  return existsSync(parent) || parent === path ? parent : nearestFolder(parent)
}

function writeFailure(folder: string): string | undefined {
  try {
    /* Permissions do not tell: a disk may be read-only, and /proc takes no files. */
    rmdirSync(mkdtempSync(join(folder, '.certify-')))
    return undefined
  } catch (error) {
    return systemCode(error)
  }
}

function clockResult(aheadMs: number): CheckResult {
  const seconds = Math.round(Math.abs(aheadMs) / 100) / 10
  const text = `${seconds} s ${aheadMs < 0 ? 'behind' : 'ahead of'} this machine`
  const hint = 'Set the clock of the database or of this machine: leases and expiries use the clock of the database.'
  return Math.abs(aheadMs) <= MOST_SKEW_MS ? pass('ledger clock', text) : warn('ledger clock', text, hint)
}
