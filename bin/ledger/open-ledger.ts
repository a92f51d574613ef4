import { existsSync } from 'node:fs'
import { dirname, isAbsolute, relative, resolve } from 'node:path'
import type { CallbackUrls } from '../../src/callbacks/index.ts'
import type { CertifyClient, CertifyError, Hooks } from '../../src/index.ts'
import type { Ledger, LedgerOptions, LedgerScope } from '../../src/ledger/index.ts'
import { CliError, configError, notFoundError, systemCode } from '../cli-error.ts'
import { fileOf, IN_MEMORY, type LedgerPlace } from '../config/ledger-place.ts'
import { isOn } from '../config/settings.ts'
import type { Context } from '../context.ts'
import { makeFolder } from '../files.ts'
import type { Io } from '../io.ts'

/** A client with an open ledger. */
export interface OpenSender {
  readonly client: CertifyClient
  readonly ledger: Ledger
  readonly place: LedgerPlace
  /** The service, the account and the world of its invites, for look-ups in the ledger. */
  readonly scope: LedgerScope
  /** Whether an outcome could not be recorded, or only late. */
  readonly unrecorded: { error: CertifyError | undefined; isLate: boolean }
}

interface SenderOptions {
  readonly hooks?: Hooks
  readonly callbacks?: CallbackUrls | undefined
  readonly allowClockSkew?: boolean | undefined
  /** Whether it only reads: then a missing ledger is not created, and `CI` needs no location. */
  readonly looks: boolean
}

/**
 * Opens the ledger and connects the client with it while `use` runs. A client that only reads may send queries.
 *
 * @throws CliError, CertifyError LEDGER_UNUSABLE
 */
export async function withSender<T>(
  context: Context,
  { hooks, callbacks, allowClockSkew, looks }: SenderOptions,
  use: (sender: OpenSender) => Promise<T>,
): Promise<T> {
  const place = context.place()
  if (!looks) {
    refuseForgettingInCi(context.io, place)
    if (isInWorkspace(context.io, place)) await context.output.warn(IN_WORKSPACE)
  }
  const ledger = looks ? await openToLook(context.io, place) : await openOrMake(context.io, place)
  const unrecorded: OpenSender['unrecorded'] = { error: undefined, isLate: false }
  const observers: Hooks = {
    onUnrecorded: (error) => {
      unrecorded.error = error
    },
    onRecordedLate: () => {
      unrecorded.isLate = true
    },
  }
  try {
    const client = await context.client('read', {
      hooks: { ...hooks, ...observers },
      callbacks,
      ledger: { ledger, account: place.account.value, allowClockSkew },
    })
    const { scopeOf } = await import('../../src/ledger/index.ts')
    return await use({ client, ledger, place, unrecorded, scope: await scopeOf(client) })
  } finally {
    /* By now everything is on disk or was reported: a failure here must not hide a created invite. */
    await ledger.close().catch(() => {})
  }
}

/** Refuses the default place in CI: its home folder is lost with the job, and the next job would invite everybody again. */
export function refuseForgettingInCi({ env }: Io, { path }: LedgerPlace): void {
  if (path.origin !== 'default' || !isOn(env['CI'])) return
  throw configError(
    'CI is set, and no place for the ledger was chosen: what this job creates would be forgotten. Nothing was sent.',
    'Set CERTIFY_LEDGER to postgres://<host>/<database>, or to a file on a disk that stays; not to one in a CI cache, which ' +
      'restores old copies. Or set it to :memory: if nothing needs to be remembered.',
  )
}

function isInWorkspace({ env }: Io, place: LedgerPlace): boolean {
  const file = fileOf(place)
  if (file === undefined || !isOn(env['CI'])) return false
  const workspace = resolve(env['GITHUB_WORKSPACE'] ?? env['CI_PROJECT_DIR'] ?? '.')
  return !relative(workspace, resolve(file)).startsWith('..') && !isAbsolute(relative(workspace, resolve(file)))
}

const IN_WORKSPACE =
  'the ledger is a file in the workspace of this job. It is lost with the workspace, and a CI cache restores old copies: ' +
  'whom they do not know would be invited again. Use Postgres, or a file on a disk that stays.'

/** Opens the ledger, and makes its file or tables if there are none. The caller closes it. @throws CliError, CertifyError LEDGER_UNUSABLE */
export async function openOrMake(io: Io, place: LedgerPlace): Promise<Ledger> {
  const { value: path } = place.path
  if (place.database === undefined && path !== IN_MEMORY) {
    try {
      makeFolder(dirname(path))
    } catch (error) {
      throw new CliError(
        `the folder of the ledger ${path} cannot be made (${systemCode(error)}). Nothing was sent.`,
        'Correct its permissions, or set CERTIFY_LEDGER to another path, or to :memory: if nothing needs to be remembered.',
        { code: 'LEDGER_UNUSABLE' },
      )
    }
  }
  return open(io, place)
}

/** Opens the ledger, or an empty one in memory if there is none yet. The caller closes it. */
async function openToLook(io: Io, place: LedgerPlace): Promise<Ledger> {
  return open(io, exists(place) ? place : { ...place, path: { ...place.path, value: IN_MEMORY } })
}

/* A ledger that is gone has left its highest id behind: opening it reports the loss. */
function exists({ path: { value: path }, database }: LedgerPlace): boolean {
  return database !== undefined || path === IN_MEMORY || existsSync(path) || existsSync(`${path}-highest-id`)
}

/**
 * Opens the existing ledger while `use` runs.
 *
 * @throws CliError NOT_FOUND if there is none: a missing ledger does not prove that nobody was invited
 */
export async function useLedger<Result>(
  { io, place: placeOf }: Pick<Context, 'io' | 'place'>,
  use: (ledger: Ledger, place: LedgerPlace) => Promise<Result>,
  accept: Pick<LedgerOptions, 'acceptLoss'> = {},
): Promise<Result> {
  const place = placeOf()
  if (!exists(place)) {
    throw notFoundError(
      `there is no ledger yet at ${place.path.value} (${place.path.origin}).`,
      'The first create makes it. If yours is elsewhere, name it with --ledger or CERTIFY_LEDGER.',
    )
  }
  const ledger = await open(io, place, accept)
  try {
    return await use(ledger, place)
  } finally {
    await ledger.close()
  }
}

async function open(
  { now }: Io,
  { path, database }: LedgerPlace,
  { acceptLoss }: Pick<LedgerOptions, 'acceptLoss'> = {},
): Promise<Ledger> {
  if (database === undefined) {
    const { openLedger } = await import('../../src/ledger/index.ts')
    return openLedger(path.value, { clock: { now, startTimer }, acceptLoss })
  }
  if (acceptLoss === true) {
    throw new CliError(
      'a database loses no commits, so there is no loss to accept.',
      'Leave out --accept-loss. After a restore, read docs/ledger.md.',
    )
  }
  const { openPostgresLedger } = await import('../../src/ledger/postgres.ts')
  const { url, schema } = database
  return openPostgresLedger({ url, ...(schema !== undefined && { schema }) })
}

/** A system timer, in the form that a ledger's clock has. */
export function startTimer(ms: number, ring: () => void): () => void {
  const timer = setTimeout(ring, ms)
  return () => clearTimeout(timer)
}
