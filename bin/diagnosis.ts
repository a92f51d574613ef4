import { existsSync, mkdtempSync, rmdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CliError, codeOf, type ExitCode, exitCodeOf, systemCode } from './cli-error.ts'
import { type CertifyError, type Fetch, isCertifyError } from '../src/index.ts'
import type { ClientChanges } from './client.ts'
import type { Context } from './context.ts'
import type { Authentication } from './config/connection.ts'
import { fileOf, type LedgerPlace } from './config/ledger-place.ts'
import { requireLedgerInCi, useLedger } from './ledger/open-ledger.ts'
import { wordError } from './terminal/error-wording.ts'
import { formatDuration, maskKey } from './terminal/text.ts'

export interface CheckResult {
  readonly check: string
  readonly state: 'pass' | 'warn' | 'fail'
  readonly found: string
  readonly hint?: string
  /** The exit code if this is the first check that failed. */
  readonly exitCode?: ExitCode
}

export function pass(check: string, found: string): CheckResult {
  return { check, state: 'pass', found }
}

export function warn(check: string, found: string, hint?: string): CheckResult {
  return { check, state: 'warn', found, ...(hint !== undefined && { hint }) }
}

export function fail(check: string, found: string, hint: string, exitCode: ExitCode): CheckResult {
  return { check, state: 'fail', found, hint, exitCode }
}

/** What the only read operation says about a key. `accepted` is `undefined` if the service could not be reached. */
type KeyCheck =
  | { readonly accepted: true; readonly reads: boolean }
  | { readonly accepted: false | undefined; readonly reads: false | undefined; readonly error: CertifyError }

/** The end of a key, or the headers of a session: enough for a person to compare. */
export function keyText({ apiKey, session }: Authentication): string {
  return apiKey === undefined ? `session (${Object.keys(session).join(', ')})` : maskKey(apiKey)
}

/* A track that does not exist gives the smallest response. The scope to create can be checked only by a create. */
export async function checkKey({ client, io }: Context, changes?: ClientChanges): Promise<KeyCheck> {
  const reader = await client('read', changes)
  try {
    await reader.tracks.list({ trackSlug: '-' }, { signal: io.interruption })
    return { accepted: true, reads: true }
  } catch (error) {
    if (!isCertifyError(error)) throw error
    if (error.code === 'FORBIDDEN') return { accepted: true, reads: false }
    if (error.code === 'UNAUTHENTICATED') return { accepted: false, reads: false, error }
    return { accepted: undefined, reads: undefined, error }
  }
}

/* With a larger difference, open invites seem to have expired. */
const MAX_LEDGER_SKEW_MS = 5 * 60_000

/** Checks whether the ledger can be used: its file or database, its driver, its clock. It creates no file. */
export async function* checkLedger(context: Context): AsyncGenerator<CheckResult> {
  let place: LedgerPlace
  try {
    place = context.place()
    requireLedgerInCi(context.io, place)
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
    if (place.database !== undefined) yield ledgerClock(aheadMs)
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

function ledgerClock(aheadMs: number): CheckResult {
  const seconds = Math.round(Math.abs(aheadMs) / 100) / 10
  const text = `${seconds} s ${aheadMs < 0 ? 'behind' : 'ahead of'} this machine`
  const hint = 'Set the clock of the database or of this machine: leases and expiries use the clock of the database.'
  return Math.abs(aheadMs) <= MAX_LEDGER_SKEW_MS ? pass('ledger clock', text) : warn('ledger clock', text, hint)
}

/* A larger difference makes a certificate or an expiry look wrong. */
const MAX_SKEW_MS = 60_000

/** Checks the key and the clock at the service. */
export async function* checkService(context: Context): AsyncGenerator<CheckResult> {
  const { io } = context
  let date: string | null = null
  const around =
    (fetch: Fetch): Fetch =>
    async (url, init) => {
      const response = await fetch(url, init)
      date = response.headers.get('date')
      return response
    }
  try {
    const key = await checkKey(context, { around })
    yield* keyResults(key, context)
    if (key.accepted === undefined && key.error.status === undefined) return
  } catch (error) {
    /* No client can be made from the settings. */
    if (!isCertifyError(error)) throw error
    const { message, hint } = wordError(error)
    yield fail('settings', message, hint, 2)
    return
  }
  yield serviceClock(date, io.now())
}

function* keyResults(key: KeyCheck, { io, place }: Context): Generator<CheckResult> {
  if (key.accepted !== true) {
    const { message, hint } = wordError(key.error, { flags: place().flags })
    const exitCode = exitCodeOf(key.error, io.interruption)
    const failure = codeOf(key.error.cause) ?? ''
    yield failure.startsWith('PROXY_')
      ? fail('proxy', `no connection through it (${failure})`, PROXY_HINT, exitCode)
      : fail(key.error.status === undefined ? 'connection' : 'key', message, hint, exitCode)
    return
  }
  yield pass('key', 'accepted')
  yield key.reads
    ? pass('scopes', 'may list tracks; creating was not tried')
    : warn(
        'scopes',
        'may not list tracks (CERTIFICATION_PACKAGE_READ); creating was not tried',
        'Nothing to do if this key is for creating invites only.',
      )
}

const PROXY_HINT = 'Check the user and password in its variable, and whether it allows this host.'

function serviceClock(date: string | null, now: number): CheckResult {
  const skewMs = date === null ? Number.NaN : Date.parse(date) - now
  if (Number.isNaN(skewMs)) return warn('clock', 'the service does not report its time')
  const apart = formatDuration(Math.abs(skewMs) / 1000)
  if (Math.abs(skewMs) <= MAX_SKEW_MS) return pass('clock', `in step with the service (${apart} apart)`)
  return warn(
    'clock',
    `this machine is ${apart} ${skewMs > 0 ? 'behind' : 'ahead of'} the service`,
    'Set the clock of this machine. certify bulk sends nothing if they are more than 5 min apart.',
  )
}
