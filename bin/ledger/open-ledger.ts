import { existsSync, lstatSync } from 'node:fs'
import { dirname, isAbsolute, relative, resolve } from 'node:path'
import type { CertifyClient, CertifyError, Hooks } from '../../src/index.ts'
import type { Ledger, LedgerOptions, LedgerScope } from '../../src/ledger/index.ts'
import type { ClientChanges } from '../client.ts'
import { CliError, codeOf, configError, notFoundError, systemCode } from '../cli-error.ts'
import { DEFAULT_ACCOUNT, fileOf, IN_MEMORY, type LedgerPlace } from '../config/ledger-place.ts'
import { isOn } from '../config/settings.ts'
import type { Context } from '../context.ts'
import { makeFolder } from '../files.ts'
import type { Io } from '../io.ts'
import { howToResolve } from '../terminal/error-wording.ts'
import { formatDuration } from '../terminal/text.ts'

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

interface SenderOptions extends Pick<ClientChanges, 'hooks' | 'callbacks' | 'mostMs'> {
  readonly allowClockSkew?: boolean | undefined
  /** Whether it only reads: then a missing ledger is not created, and `CI` needs no location. */
  readonly readOnly: boolean
}

/**
 * Opens the ledger and connects the client with it while `use` runs. A client that only reads may send queries.
 *
 * @throws CliError, CertifyError LEDGER_UNUSABLE
 */
export async function withClient<T>(
  context: Context,
  { hooks, callbacks, mostMs, allowClockSkew, readOnly }: SenderOptions,
  use: (sender: OpenSender) => Promise<T>,
): Promise<T> {
  const place = context.place()
  if (!readOnly) {
    requireLedgerInCi(context.io, place)
    if (isInWorkspace(context.io, place)) await context.output.warn(IN_WORKSPACE)
  }
  const unrecorded: OpenSender['unrecorded'] = { error: undefined, isLate: false }
  const observers: Hooks = {
    onUnrecorded: (error) => {
      unrecorded.error = error
    },
    onRecordedLate: () => {
      unrecorded.isLate = true
    },
  }
  const useClient = async (ledger: Ledger) => {
    const connect = (allow: boolean | undefined) =>
      context.client('read', {
        hooks: { ...hooks, ...observers },
        callbacks,
        mostMs,
        ledger: { ledger, account: place.account.value, allowClockSkew: allow },
      })
    const { scopeOf } = await import('../../src/ledger/index.ts')
    const client = await connect(allowClockSkew)
    const scope = await scopeOf(client)
    const isMoved = allowClockSkew !== true && scope.world !== '' && (await hasMovedClock(context))
    return use({ client: isMoved ? await connect(true) : client, ledger, place, unrecorded, scope })
  }
  return useLedger(context, useClient, { ifMissing: readOnly ? 'empty' : 'create' })
}

/* Tests move the clock of a mock: that a service has another time must stop nothing but creates at a real one. */
async function hasMovedClock({ io, connection, output }: Context): Promise<boolean> {
  const response = await fetch(new URL('/__mock/world', connection().baseUrl.value)).catch(() => undefined)
  const apartMs = Math.abs(Date.parse(response?.headers.get('date') ?? '') - io.now())
  if (!(apartMs > MAX_SKEW_MS)) return false
  await output.warn(
    `the clock of this mock is ${formatDuration(apartMs / 1000)} from this machine's: with a real service, that ends the run.`,
  )
  return true
}

const MAX_SKEW_MS = 5 * 60_000

/** Refuses the default place in CI: its home folder is lost with the job, and the next job would invite everybody again. */
export function requireLedgerInCi({ env }: Io, { path }: LedgerPlace): void {
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

/* A ledger that is gone has left its highest id, or a link to its file: opening it reports the loss. */
function exists({ path: { value: path }, database }: LedgerPlace): boolean {
  if (database !== undefined || path === IN_MEMORY) return true
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined || existsSync(`${path}-highest-id`)
  } catch (error) {
    /* What cannot be seen may be there. */
    return codeOf(error) !== 'ENOTDIR'
  }
}

interface OpeningOptions extends Pick<LedgerOptions, 'acceptLoss'> {
  /** Without a ledger: fail, create one, or use an empty one in memory. A missing ledger does not prove that nobody was invited. */
  readonly ifMissing?: 'fail' | 'create' | 'empty'
}

/**
 * Opens the ledger while `use` runs.
 *
 * @throws CliError NOT_FOUND if there is none, CertifyError LEDGER_UNUSABLE
 */
export async function useLedger<Result>(
  context: Context,
  use: (ledger: Ledger, place: LedgerPlace) => Promise<Result>,
  { ifMissing = 'fail', acceptLoss }: OpeningOptions = {},
): Promise<Result> {
  const place = context.place()
  const isMissing = !exists(place)
  if (isMissing && ifMissing === 'fail') {
    throw notFoundError(
      noLedgerAt(place),
      'The first create makes it. If yours is elsewhere, name it with --ledger or CERTIFY_LEDGER.',
    )
  }
  /* The folder of another place is the user's: a misspelt path must not become a new ledger. */
  if (isMissing && ifMissing === 'create' && place.path.origin === 'default') makeFolderOf(place)
  const inMemory = { ...place, path: { ...place.path, value: IN_MEMORY } }
  const ledger = await open(context, isMissing && ifMissing === 'empty' ? inMemory : place, acceptLoss)
  try {
    return await use(ledger, place)
  } finally {
    await closeLedger(ledger, context)
  }
}

function noLedgerAt({ path: { value, origin } }: LedgerPlace): string {
  return `there is no ledger yet at ${value} (${origin}).`
}

/** Says that a list is empty, and why: there may be no ledger yet, or the place that was named is misspelt. */
export async function sayNone({ output, place: placeOf }: Context, none: string): Promise<void> {
  const place = placeOf()
  if (exists(place)) await output.remark(none)
  else if (place.path.origin === 'default') await output.remark(`${none} Before the first create, ${noLedgerAt(place)}`)
  else await output.warn(noLedgerAt(place))
}
/** Closes a ledger. It may still record how creates ended, until their leases end: a person at a terminal is told. */
export async function closeLedger(ledger: Pick<Ledger, 'close'>, { io, output }: Pick<Context, 'io' | 'output'>) {
  const stop = startTimer(QUIET_MS, () => {
    if (io.stderr.isTTY) void output.warn(STILL_RECORDING)
  })
  /* Everything is on disk, or was or will be reported: a failure here must not hide a created invite. */
  await ledger.close().catch(() => {})
  stop()
}

const QUIET_MS = 1000
const STILL_RECORDING =
  'the ledger has not recorded yet how every create ended. It is tried until their leases end: 30 seconds after the time-out. ' +
  'A second Ctrl-C ends this, and what is not recorded by then counts as unknown.'

function makeFolderOf({ path: { value: path } }: LedgerPlace): void {
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

async function open(context: Context, { path, database }: LedgerPlace, acceptLoss?: boolean): Promise<Ledger> {
  if (database === undefined) {
    const { openLedger } = await import('../../src/ledger/index.ts')
    const clock = { now: context.io.now, startTimer }
    return openLedger(path.value, { clock, acceptLoss, onCheck: () => void context.output.warn(CHECKED) })
  }
  if (acceptLoss === true) {
    throw new CliError(
      'a database loses no commits, so there is no loss to accept.',
      'Leave out --accept-loss. After a restore, read docs/ledger.md.',
    )
  }
  const { openPostgresLedger } = await import('../../src/ledger/postgres.ts')
  return openPostgresLedger({ url: database.url })
}

const CHECKED = 'the whole ledger is read now, to check it: it takes some seconds for a million records.'

/** A system timer, in the form that a ledger's clock has. */
export function startTimer(ms: number, ring: () => void): () => void {
  const timer = setTimeout(ring, ms)
  return () => clearTimeout(timer)
}

/**
 * Refuses candidates whom the ledger has under another account of this service, if one of the two is the default, which
 * nobody named: they would probably be invited a second time. Named accounts are tenants, and may invite the same people.
 *
 * @param emails the candidates
 * @throws CliError
 */
export async function refuseOtherAccounts(
  { ledger, scope, place }: Pick<OpenSender, 'ledger' | 'scope' | 'place'>,
  emails: Iterable<string>,
): Promise<void> {
  const { emailKey } = await import('../../src/ledger/index.ts')
  const wanted = new Map([...emails].map((email) => [emailKey(email), email]))
  if (wanted.size === 0) return
  const found = new Map<string, number>()
  const mayBeMeant = (account: string) =>
    account !== scope.account && [account, scope.account].includes(DEFAULT_ACCOUNT)
  /* A few are looked up one by one, many in one pass. */
  const lists = wanted.size <= MAX_LOOK_UPS ? [...wanted.values()].map((email) => ({ email })) : [{}]
  for (const filter of lists) {
    const { baseUrl, world } = scope
    const seen = new Set<string>()
    for await (const { account, state, input } of ledger.list({ baseUrl, world, ...filter })) {
      const key = emailKey(input.candidate.email)
      if (!mayBeMeant(account) || !BLOCKING.has(state) || !wanted.has(key) || seen.has(key)) continue
      seen.add(key)
      found.set(account, (found.get(account) ?? 0) + 1)
    }
  }
  const [first] = [...found].toSorted(([, one], [, other]) => other - one)
  if (first === undefined) return
  const [account, count] = first
  throw new CliError(
    `the ledger has ${count === 1 && wanted.size === 1 ? 'this candidate' : `${count} of these candidates`} under the account ` +
      `“${account}”, and this is “${scope.account}” (${place.account.origin}). Nothing was sent.`,
    `If it is the same account, give --account ${account}, or store it: certify auth login --account ${account}. If it is ` +
      'another one, give it a ledger of its own with --ledger.',
    { code: 'ACCOUNT_DIFFERS', exitCode: 5 },
  )
}

const MAX_LOOK_UPS = 100
const BLOCKING: ReadonlySet<string> = new Set(['sending', 'created', 'unknown'])

/** Whether the ledger has nothing for the account, so that no candidate is recognised. */
export async function isEmpty(ledger: Ledger, { account, world }: OpenSender['scope']): Promise<boolean> {
  const first = await ledger.list({ account, world })[Symbol.asyncIterator]().next()
  return first.done === true
}

/** Sentences for a create whose outcome the ledger could not record, or recorded late; empty if it was recorded. */
export function unrecordedText(
  { unrecorded: { error, isLate }, place }: Pick<OpenSender, 'unrecorded' | 'place'>,
  reference: string | undefined,
): readonly string[] {
  if (error !== undefined) {
    return [
      `The ledger could not record how it ended. ${error.message} If it calls it unknown later, resolve it: ` +
        `${howToResolve(reference, place.flags)}.`,
    ]
  }
  return isLate ? [RECORDED_LATE] : []
}

/** The sentence for a create that was recorded after its lease had ended. */
export const RECORDED_LATE =
  'The ledger recorded it after its lease had ended, and it counted as unknown until then: check whether it was ' +
  'resolved or created again.'
