import {
  type CallOptions,
  type CertificationInvite,
  type CertifyClient,
  CertifyError,
  type InviteInput,
  type Invites,
  type PackageInvite,
  type PackageInviteInput,
  type PackageInvites,
} from '../index.ts'
import { callRules, checkOptions, milliseconds, option } from '../option-rules.ts'
import { closedOptions, once } from '../validation.ts'
import type { LedgerEntry, LedgerScope, SendInput } from './rules/entry.ts'
import { alreadyInvited, ledgerUnusable, priorUnknown, type Reuse } from './rules/errors.ts'
import { copyOf, issuesOf } from './rules/input.ts'
import { scopeKey, targetOf } from './rules/key.ts'
import type { Ledger } from './rules/ledger.ts'
import { differences, resultIn, settlementOf, settlementOfFailure } from './rules/outcome.ts'
import { PackageSkills } from './rules/package-skills.ts'
import { type Created, SendRecorder } from './send-recorder.ts'

/** The options of a client with a ledger. */
export interface WithLedgerOptions {
  /** Your own name for the account of the key, as in `acme-production`. Not blank. */
  readonly account: string
  /** The world of a mock: `mock.worldId`, or the result of `mockWorldAt`. Default: none, a real service. */
  readonly world?: string | undefined
  /** The deadline of calls without their own, in milliseconds. Default: the client's. */
  readonly deadlineMs?: number | undefined
  /**
   * How long a create waits while another call is sending to the same candidate, in milliseconds: 0 to 2,147,483,647, and
   * never longer than its deadline. After that it throws IN_PROGRESS. Default: 5,000.
   */
  readonly waitForInProgressMs?: number | undefined
  /**
   * Called if a send ended but could not be recorded. The caller still gets the result; the ledger later reports it as
   * unknown. Default: a process warning.
   */
  readonly onUnsettled?: ((error: CertifyError) => void) | undefined
  /**
   * Called if a send was recorded after its lease had ended. Until then other callers may have seen it as unknown, and somebody
   * may have resolved it or sent it again. Default: a process warning.
   *
   * @param reference that of the entry
   */
  readonly onLate?: ((reference: string) => void) | undefined
  /** Sends even if the clock is behind the latest time that the ledger has seen. Default: false, CLOCK_SKEW. */
  readonly allowClockSkew?: boolean | undefined
}

/**
 * The options of a create with a ledger. Its `reference` has to be new: it becomes that of the entry.
 */
export interface GuardedCallOptions extends CallOptions {
  /**
   * What to do if the ledger has an open invite. `refuse`, the default: ALREADY_INVITED. `reuse`: returns the recorded
   * invite if it has the same input. `create`: sends another one.
   */
  readonly ifInvited?: 'refuse' | 'reuse' | 'create' | undefined
  /**
   * What to do if an earlier outcome is unknown. `refuse`, the default: PRIOR_OUTCOME_UNKNOWN. `create`: sends another
   * one.
   */
  readonly ifUnknown?: 'refuse' | 'create' | undefined
  /** As {@link WithLedgerOptions.waitForInProgressMs}, for this call. */
  readonly waitForInProgressMs?: number | undefined
}

/** A client whose creates are recorded, and refused if an entry blocks them. */
export interface GuardedClient<CallbackUrl extends string = string> extends CertifyClient<CallbackUrl> {
  readonly invites: GuardedInvites<CallbackUrl>
  readonly packageInvites: GuardedPackageInvites<CallbackUrl>
}

/** As the client's own, with a ledger. */
export interface GuardedInvites<CallbackUrl extends string = string> extends Invites<CallbackUrl> {
  /**
   * Creates one invite, unless the ledger has an open invite of this candidate to this quiz, or a create whose outcome is
   * unknown. It is recorded before it is sent, and its outcome afterwards. Source: specification 4.2.
   *
   * @throws CertifyError with any code of {@link Invites.create}. Also from the ledger, before anything is sent, outcome
   *   `not-executed`, with the earlier creates in `prior`:
   *
   * - ALREADY_INVITED: the candidate has an open invite. See `ifInvited`.
   * - PRIOR_OUTCOME_UNKNOWN: an earlier create may have made one. See `ifUnknown`.
   * - IN_PROGRESS: another call is inviting the candidate, and did not end within `waitForInProgressMs`. Call again.
   * - LEDGER_UNUSABLE, CLOCK_SKEW: it cannot be recorded, or the clock is wrong.
   */
  readonly create: (input: InviteInput<CallbackUrl>, options?: GuardedCallOptions) => Promise<CertificationInvite>
}

/** As {@link GuardedInvites}, for package invites. */
export interface GuardedPackageInvites<CallbackUrl extends string = string> extends PackageInvites<CallbackUrl> {
  /**
   * Creates one invite for every skill of the package, or none: none if the ledger has an open invite of this candidate to
   * the package or one of its quizzes, or a create whose outcome is unknown. Source: specification 4.3.
   *
   * @throws CertifyError as {@link GuardedInvites.create}: with any code of {@link PackageInvites.create}, and from the
   *   ledger ALREADY_INVITED, PRIOR_OUTCOME_UNKNOWN, IN_PROGRESS, LEDGER_UNUSABLE and CLOCK_SKEW, outcome `not-executed`
   */
  readonly create: (input: PackageInviteInput<CallbackUrl>, options?: GuardedCallOptions) => Promise<PackageInvite>
}

/**
 * A client with the same methods whose creates use a ledger. They are recorded before they are sent, and settled
 * afterwards. They are not sent if the candidate has an open invite, or may have one.
 *
 * The ledger does not know invites from elsewhere, or mutations by `request`.
 *
 * @throws CertifyError, outcome `not-executed`: LEDGER_UNUSABLE if `account` is blank, CONFIG_INVALID if the client
 *   already has a ledger
 * @example
 * ```ts
 * const guarded = withLedger(client, ledger, { account: 'acme-production' })
 * await guarded.invites.create({ quizId, candidate }, { ifInvited: 'reuse' })
 * ```
 */
export function withLedger<CallbackUrl extends string = string>(
  client: CertifyClient<CallbackUrl>,
  ledger: Ledger,
  options: WithLedgerOptions,
): GuardedClient<CallbackUrl> {
  refuseGuarded(client, 'withLedger')
  const { deadlineMs = client.limits.deadlineMs, onUnsettled, onLate, allowClockSkew: clockSkew } = options
  const { waitForInProgressMs: longestWaitMs = 5000 } = options
  checkOptions('withLedger', guardedCallOptions, { deadlineMs, waitForInProgressMs: longestWaitMs })
  const scope = scopeOf(client.endpoint, options)
  const recorder = new SendRecorder(ledger, scope, { onUnsettled, onLate })
  const skills = new PackageSkills(client.tracks, ledger.clock)

  const guarded = <Input extends SendInput, Result extends Created>(
    operation: string,
    create: (input: Input, options?: CallOptions) => Promise<Result>,
  ) => {
    return async (given: Input, call: GuardedCallOptions = {}): Promise<Result> => {
      checkOptions(operation, guardedCallOptions, call)
      const { ifInvited = 'refuse', ifUnknown = 'refuse', waitForInProgressMs = longestWaitMs, ...rest } = call
      /* The client itself refuses an invalid input, with its message. */
      if (issuesOf(given).length > 0) return create(given, rest)
      const input = copyOf(given)
      const limits = { ...rest, deadlineMs: rest.deadlineMs ?? deadlineMs }
      const quizIds = 'packageId' in input ? await skills.of(input.packageId, { ...limits, reference: undefined }) : []
      const decision = await recorder.claim({
        operation,
        input,
        target: targetOf(input, quizIds),
        deadlineMs: limits.deadlineMs,
        waitForInProgressMs: Math.min(waitForInProgressMs, limits.deadlineMs),
        signal: limits.signal,
        reference: rest.reference,
        although: { invited: ifInvited === 'create', unknown: ifUnknown === 'create', clockSkew },
      })
      const now = ledger.clock.now()
      if (decision.kind === 'unknown') throw priorUnknown(operation, decision.entries, now)
      if (decision.kind === 'invited') {
        const reuse = reuseOf(input, decision.entries)
        if (ifInvited === 'reuse' && reuse.result !== undefined) return reuse.result as Result
        throw alreadyInvited(operation, decision.entries, now, reuse)
      }
      const { reference, mustEndBy } = decision
      const result = await create(input, { ...limits, reference, mustEndBy }).catch(async (error: unknown) => {
        const { mismatch } = await recorder.recordOutcome(
          operation,
          reference,
          settlementOfFailure(error, ledger.clock.now()),
        )
        throw mismatch ?? error
      })
      const { mismatch } = await recorder.recordOutcome(operation, reference, settlementOf(result, ledger.clock.now()))
      if (mismatch !== undefined) throw mismatch
      return result
    }
  }

  const guardedClient: GuardedClient<CallbackUrl> = {
    endpoint: client.endpoint,
    limits: { ...client.limits, deadlineMs },
    tracks: client.tracks,
    invites: { ...client.invites, create: guarded('invites.create', client.invites.create) },
    packageInvites: {
      ...client.packageInvites,
      create: guarded('packageInvites.create', client.packageInvites.create),
    },
    request: client.request,
  }
  GUARDED.set(guardedClient, { ledger, scope })
  return guardedClient
}

const GUARDED = new WeakMap<object, { readonly ledger: Ledger; readonly scope: LedgerScope }>()

/**
 * With two ledgers, the second would wait for the send of the first.
 *
 * @throws CertifyError CONFIG_INVALID, outcome `not-executed`, for a client that already has a ledger
 */
export function refuseGuarded(client: object, of: string): void {
  if (!GUARDED.has(client)) return
  const message = `${of} needs the client itself: this one already has a ledger.`
  throw new CertifyError({ code: 'CONFIG_INVALID', outcome: 'not-executed', message })
}

/**
 * What {@link withLedger} has put around a client.
 *
 * @throws CertifyError CONFIG_INVALID, outcome `not-executed`, for a client without a ledger
 */
export function guardOf(client: object, of: string): { readonly ledger: Ledger; readonly scope: LedgerScope } {
  const guard = GUARDED.get(client)
  if (guard !== undefined) return guard
  const message = `${of} needs a client with a ledger: the result of withLedger.`
  throw new CertifyError({ code: 'CONFIG_INVALID', outcome: 'not-executed', message })
}

/* A misspelt choice must not count as the default. */
const guardedCallOptions = once(() =>
  closedOptions({
    ...callRules(),
    ifInvited: option(oneOf('refuse', 'reuse', 'create'), 'must be refuse, reuse or create'),
    ifUnknown: option(oneOf('refuse', 'create'), 'must be refuse or create'),
    waitForInProgressMs: milliseconds(0),
  }),
)

function oneOf(...choices: readonly unknown[]): (value: unknown) => boolean {
  return (value) => choices.includes(value)
}

/* The newest invite with the same input that is recorded whole, or what prevents it. */
function reuseOf(input: SendInput, entries: readonly LedgerEntry[]): Reuse & { readonly result: Created | undefined } {
  const same = entries.filter((entry) => differences(input, entry.input).length === 0)
  const result = same.map(resultIn).findLast((each) => each !== undefined)
  const newest = entries.at(-1)
  const differing = newest !== undefined && same.length === 0 ? differences(input, newest.input) : []
  return { result, canReuse: result !== undefined, differing }
}

/** @throws CertifyError LEDGER_UNUSABLE where `account` is blank */
export function scopeOf(
  endpoint: string,
  { account, world = '' }: Pick<WithLedgerOptions, 'account' | 'world'>,
): LedgerScope {
  if (typeof account === 'string' && account.trim() !== '') return scopeKey({ baseUrl: endpoint, account, world })
  throw ledgerUnusable(
    '`account` is not set',
    'Set `account` to a name of your own, the same for every key of that account.',
  )
}
