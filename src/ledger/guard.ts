import { backOffMs, pause } from '../clock.ts'
import type { CreateGuard, GuardedCreate, GuardSettings } from '../create-guard.ts'
import { partsOfClient } from '../client-parts.ts'
import type { AdminSessionClient, CreateOptions } from '../index.ts'
import { optionsInvalid } from '../refusals.ts'
import { mockWorldAt } from './mock-world.ts'
import type { Blocking, LedgerEntry, LedgerScope, SendInput } from './rules/entry.ts'
import {
  alreadyInvited,
  inProgress,
  priorUnknown,
  type Reuse,
  recordedFailure,
  referenceDiffers,
  waitAborted,
} from './rules/errors.ts'
import { scopeKey, targetOf } from './rules/key.ts'
import type { Ledger } from './rules/ledger.ts'
import { differences, resultIn, settlementOf, settlementOfFailure } from './rules/outcome.ts'
import { PackageSkills } from './rules/package-skills.ts'
import { type Claimed, type Created, SendRecorder } from './send-recorder.ts'

/** The guard of one client: it sends a create only after recording it, and only if no entry blocks it. */
export class LedgerGuard implements CreateGuard {
  readonly ledger: Ledger
  readonly settings: GuardSettings
  readonly #skills: PackageSkills
  #scope: Promise<LedgerScope> | undefined
  #recorder: SendRecorder | undefined

  constructor(ledger: Ledger, settings: GuardSettings) {
    this.ledger = ledger
    this.settings = settings
    this.#skills = new PackageSkills(settings.listTracks, ledger.clock)
  }

  /**
   * The scope of the client's invites. Whether the service is a mock, and which world it serves, is asked once.
   *
   * @throws CertifyError LEDGER_UNUSABLE, outcome `not-executed`: a server on this machine accepts connections but does
   *   not respond
   */
  scope(): Promise<LedgerScope> {
    const { endpoint, account } = this.settings
    this.#scope ??= mockWorldAt(endpoint).then(
      (world) => scopeKey({ baseUrl: endpoint, account, world }),
      (error: unknown) => {
        this.#scope = undefined
        throw error
      },
    )
    return this.#scope
  }

  async create<Result extends Created>(create: GuardedCreate<Result>): Promise<Result> {
    const { operation, options, send } = create
    const { limits, hooks } = this.settings
    const { clock } = this.ledger
    const call = { ...options, deadlineMs: options.deadlineMs ?? limits.deadlineMs }
    const scope = await this.scope()
    this.#recorder ??= new SendRecorder(this.ledger, scope, hooks)
    const recorder = this.#recorder
    const claimed = await this.#claim({ ...create, options: call }, recorder, scope)
    if (!('reference' in claimed)) return claimed.recorded as Result
    const { reference, mustEndBy } = claimed
    const result = await send({ ...call, reference, mustEndBy }).catch(async (error: unknown) => {
      const failure = settlementOfFailure(error, clock.now())
      const { mismatch } = await recorder.recordOutcome(operation, reference, failure)
      throw mismatch ?? error
    })
    const { mismatch } = await recorder.recordOutcome(operation, reference, settlementOf(result, clock.now()))
    if (mismatch !== undefined) throw mismatch
    return result
  }

  async #claim(
    { operation, input, options }: Limited,
    recorder: SendRecorder,
    scope: LedgerScope,
  ): Promise<Claimed | { readonly recorded: Created }> {
    const { waitForInProgressMs = this.settings.waitForInProgressMs, ifInvited, ifUnknown, ...call } = options
    const { reference, deadlineMs, signal } = call
    const { clock } = this.ledger
    const listing = { ...call, reference: undefined }
    const quizIds = 'packageId' in input ? await this.#skills.of(input.packageId, listing) : []
    const although = {
      invited: ifInvited === 'create',
      unknown: ifUnknown === 'create',
      clockSkew: this.settings.allowClockSkew,
    }
    const sending = { reference, input, target: targetOf(input, quizIds), deadlineMs, although }
    /* Counted, not read from the clock, which may be set back in between. */
    let leftMs = Math.min(waitForInProgressMs, deadlineMs)
    for (let looks = 1; ; looks += 1) {
      const decision = await recorder.claim(sending)
      if (decision.kind === 'send') return decision
      const now = clock.now()
      if (decision.kind === 'taken') {
        refuseOther(operation, input, decision.entry, scope)
        if (decision.entry.state !== 'sending') return { recorded: recordedResult(operation, decision.entry, now) }
      } else if (decision.kind !== 'in-flight') return { recorded: reused(operation, input, decision, ifInvited, now) }
      const entries = decision.kind === 'taken' ? [decision.entry] : decision.entries
      if (signal?.aborted === true) throw waitAborted(operation, entries, signal.reason)
      if (leftMs <= 0) throw inProgress(operation, entries, now)
      const waitMs = Math.min(backOffMs(looks, FIRST_WAIT_MS, LONGEST_WAIT_MS), leftMs)
      await pause(clock, waitMs, signal)
      leftMs -= waitMs
    }
  }
}

/* How long to wait before checking again whether another caller's send has ended. */
const FIRST_WAIT_MS = 50
const LONGEST_WAIT_MS = 1000

type Limited = Omit<GuardedCreate<unknown>, 'send' | 'options'> & {
  readonly options: CreateOptions & { readonly deadlineMs: number }
}

/* A reference belongs to one create. @throws CertifyError CONFIG_INVALID */
function refuseOther(operation: string, input: SendInput, entry: LedgerEntry, scope: LedgerScope): void {
  const elsewhere = (['baseUrl', 'account', 'world'] as const).filter((field) => entry[field] !== scope[field])
  const differing = [...elsewhere, ...differences(input, entry.input)]
  if (differing.length > 0) throw referenceDiffers(operation, entry.reference, differing)
}

/* What is recorded for a caller's own reference: its result, or why there is none. */
function recordedResult(operation: string, entry: LedgerEntry, now: number): Created {
  if (entry.state === 'unknown') throw priorUnknown(operation, [entry], now)
  if (entry.state !== 'created') throw recordedFailure(operation, entry, now)
  const result = resultIn(entry)
  if (result === undefined) throw alreadyInvited(operation, [entry], now, { canReuse: false, differing: [] })
  return result
}

/* The recorded invite of another create, if the caller wants it. */
function reused(
  operation: string,
  input: SendInput,
  { kind, entries, missingQuizIds }: Blocking,
  ifInvited: CreateOptions['ifInvited'],
  now: number,
): Created {
  if (kind === 'unknown') throw priorUnknown(operation, entries, now)
  if (missingQuizIds.length > 0)
    throw alreadyInvited(operation, entries, now, { canReuse: false, differing: [], missingQuizIds })
  const reuse = reuseOf(input, entries)
  if (ifInvited === 'reuse' && reuse.result !== undefined) return reuse.result
  throw alreadyInvited(operation, entries, now, reuse)
}

/* The newest fully recorded invite with the same input, or what prevents its reuse. */
function reuseOf(input: SendInput, entries: readonly LedgerEntry[]): Reuse & { readonly result: Created | undefined } {
  const same = entries.filter((entry) => differences(input, entry.input).length === 0)
  const result = same.map(resultIn).findLast((each) => each !== undefined)
  const newest = entries.at(-1)
  const differing = newest !== undefined && same.length === 0 ? differences(input, newest.input) : []
  return { result, canReuse: result !== undefined, differing }
}

/**
 * The scope of a client's invites in its ledger, for {@link Ledger.list} and {@link Ledger.lookUp}.
 *
 * @throws CertifyError CONFIG_INVALID, outcome `not-executed`: the client has no ledger
 */
export async function scopeOf(client: AdminSessionClient): Promise<LedgerScope> {
  const guard = partsOfClient(client)?.guard
  if (guard === undefined) throw optionsInvalid('scopeOf', [{ path: 'client', rule: 'must have a ledger' }])
  return (guard as LedgerGuard).scope()
}
