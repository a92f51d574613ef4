import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Ledger } from '../../src/ledger/index.ts'
import { CliError, systemCode } from '../cli-error.ts'
import { type LedgerFlags, type LedgerPlace, readLedgerPlace } from '../config/ledger.ts'
import { makeFolder } from '../config/make-folder.ts'
import type { Context } from '../context.ts'
import type { Io } from '../io.ts'

/** A ledger, and the scope of what is sent through it: all that `withLedger` and `planCampaign` want to know of it. */
export interface OpenedLedger {
  readonly ledger: Ledger
  readonly account: string
  /** Of the mock behind the address that is set; empty for a real service. */
  readonly world: string
}

/**
 * Opens the ledger for sends to the service that is set, and makes its file where there is none. Whoever opens it closes it.
 *
 * @throws CliError, CertifyError LEDGER_UNUSABLE
 */
export async function openToSend({ io, connection }: Context, { path, account }: LedgerPlace): Promise<OpenedLedger> {
  const { mockWorldAt } = await import('../../src/ledger/index.ts')
  const world = await mockWorldAt(connection().baseUrl.value ?? '')
  makeFolderOf(path.value)
  return { ledger: await open(io, path.value), account: account.value, world }
}

/**
 * Opens a ledger that is there. Whoever opens it closes it.
 *
 * @param acceptLoss also where the record of its last sends is missing
 * @throws CliError NOT_FOUND where there is none: what nobody has recorded is no proof that nobody was invited
 */
export async function openToRead(
  { io }: Pick<Context, 'io'>,
  { path }: LedgerPlace,
  acceptLoss = false,
): Promise<Ledger> {
  if (existsSync(path.value)) return open(io, path.value, acceptLoss)
  throw new CliError(
    `there is no ledger yet at ${path.value} (${path.origin}).`,
    '`certify invites create --ledger` makes one. One that is elsewhere is named by --ledger or CERTIFY_LEDGER.',
    { code: 'NOT_FOUND', exitCode: 5 },
  )
}

/** Opens the ledger that is set for as long as it is used. @throws CliError as {@link openToRead} */
export async function useLedger(
  context: Pick<Context, 'io' | 'program'>,
  flags: LedgerFlags,
  use: (ledger: Ledger, place: LedgerPlace) => Promise<void>,
  acceptLoss = false,
): Promise<void> {
  const place = readLedgerPlace(context.io, context.program.root.opts(), flags)
  const ledger = await openToRead(context, place, acceptLoss)
  try {
    await use(ledger, place)
  } finally {
    await ledger.close()
  }
}

async function open({ now }: Io, path: string, acceptLoss = false): Promise<Ledger> {
  const { openLedger } = await import('../../src/ledger/index.ts')
  return openLedger({ path, clock: { now, startTimer }, acceptLoss })
}

function startTimer(ms: number, ring: () => void): () => void {
  const timer = setTimeout(ring, ms)
  return () => clearTimeout(timer)
}

function makeFolderOf(path: string): void {
  try {
    makeFolder(dirname(path))
  } catch (error) {
    const reason = systemCode(error)
    throw new CliError(
      `the folder of the ledger ${path} cannot be made (${reason}). Nothing was sent.`,
      'Correct its permissions, or give another path with --ledger or CERTIFY_LEDGER.',
      { code: 'LEDGER_UNUSABLE' },
    )
  }
}
