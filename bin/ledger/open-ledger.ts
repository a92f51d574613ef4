import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Ledger, LedgerOptions } from '../../src/ledger/index.ts'
import { CliError, notFoundError, systemCode } from '../cli-error.ts'
import { type LedgerFlags, type LedgerPlace, readLedgerPlace } from '../config/ledger.ts'
import { postgresOptions } from '../config/ledger-url.ts'
import { makeFolder } from '../config/make-folder.ts'
import type { Context } from '../context.ts'
import type { Io } from '../io.ts'

/** A ledger, and the scope of what is sent through it. */
export interface OpenLedger {
  readonly ledger: Ledger
  readonly account: string
  /** The world of a mock; empty for a real service. */
  readonly world: string
}

/** Opens the ledger for sends, and makes its file if there is none. The caller closes it. @throws CliError, CertifyError LEDGER_UNUSABLE */
export async function openForSending({ io, connection }: Context, place: LedgerPlace): Promise<OpenLedger> {
  const { mockWorldAt } = await import('../../src/ledger/index.ts')
  const world = await mockWorldAt(connection().baseUrl.value ?? '')
  return { ledger: await openOrMake(io, place), account: place.account.value, world }
}

/** Opens the ledger, and makes its file or tables if there are none. The caller closes it. @throws CliError, CertifyError LEDGER_UNUSABLE */
export async function openOrMake(io: Io, place: LedgerPlace): Promise<Ledger> {
  const { value: path } = place.path
  if (place.databaseUrl !== undefined) return openDatabase(place.databaseUrl)
  try {
    makeFolder(dirname(path))
  } catch (error) {
    throw new CliError(
      `the folder of the ledger ${path} cannot be made (${systemCode(error)}). Nothing was sent.`,
      'Correct its permissions, or give another path with --ledger or CERTIFY_LEDGER.',
      { code: 'LEDGER_UNUSABLE' },
    )
  }
  return open(io, path)
}

/**
 * Opens the existing ledger while `use` runs.
 *
 * @param accept `acceptLoss`: also if its last sends are missing
 * @throws CliError NOT_FOUND if there is none: a missing ledger is no proof that nobody was invited
 */
export async function useLedger<Result>(
  { io, program }: Pick<Context, 'io' | 'program'>,
  flags: LedgerFlags,
  use: (ledger: Ledger, place: LedgerPlace) => Promise<Result>,
  accept: Pick<LedgerOptions, 'acceptLoss'> = {},
): Promise<Result> {
  const place = readLedgerPlace(io, program.root.opts(), flags)
  const { value: path, origin } = place.path
  /* One that is gone left this beside it: to open it says so. */
  if (place.databaseUrl === undefined && !existsSync(path) && !existsSync(`${path}-highest-id`)) {
    throw notFoundError(
      `there is no ledger yet at ${path} (${origin}).`,
      '`certify invites create --ledger` makes one. If yours is elsewhere, name it with --ledger or CERTIFY_LEDGER.',
    )
  }
  const ledger =
    place.databaseUrl === undefined ? await open(io, path, accept) : await openDatabase(place.databaseUrl, accept)
  try {
    return await use(ledger, place)
  } finally {
    await ledger.close()
  }
}

/** Opens the ledger in a database. The driver is loaded only for this. @throws CertifyError LEDGER_UNUSABLE */
async function openDatabase(
  databaseUrl: string,
  { acceptLoss }: Pick<LedgerOptions, 'acceptLoss'> = {},
): Promise<Ledger> {
  if (acceptLoss === true) {
    throw new CliError(
      'a database loses no commits, so there is no loss to accept.',
      'Leave out --accept-loss. After a restore, read docs/postgres.md.',
    )
  }
  const { openPostgresLedger } = await import('../../src/ledger/postgres.ts')
  return openPostgresLedger(postgresOptions(databaseUrl))
}

async function open({ now }: Io, path: string, accept: Pick<LedgerOptions, 'acceptLoss'> = {}): Promise<Ledger> {
  const { openLedger } = await import('../../src/ledger/index.ts')
  return openLedger(path, { clock: { now, startTimer }, ...accept })
}

function startTimer(ms: number, ring: () => void): () => void {
  const timer = setTimeout(ring, ms)
  return () => clearTimeout(timer)
}
