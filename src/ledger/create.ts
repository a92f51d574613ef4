import { backOffMs, pause, timeLimit, raceWithAbort } from '../clock.ts'
import { type CertifyError, isCertifyError } from '../errors.ts'
import type { CertificationInvite, CertificationPackageInvite as PackageInvite } from '../generated/schema.ts'
import type { CreateOptions, RecordedClient, RecordedCreate } from '../internals.ts'
import { type CreateInput, NO_TRACK } from '../operations.ts'
import type { CallOptions, SendOptions } from '../transport/call.ts'
import { type Hooks, notify } from '../transport/observe.ts'
import { warn } from '../util/runtime.ts'
import {
  alreadyInvited,
  endedBeforeSending,
  inProgress,
  ledgerUnusable,
  PERMANENT,
  priorUnknown,
  referenceConflict,
  responseMismatched,
} from './rules/errors.ts'
import { targetOf } from './rules/key.ts'
import type { LedgerInternals } from './rules/ledger-types.ts'
import type { Blocking, Claim, ClaimKey, ClaimRequest, LedgerRecord, LedgerScope, Settlement } from './rules/model.ts'
import {
  conflicts,
  isSameTarget,
  resultIn,
  settlementOf,
  settlementOfFailure,
  targetDifferences,
} from './rules/outcome.ts'
import { PackageSkills } from './rules/package-skills.ts'
import { scopeReader } from './scope.ts'

/** The service's result of a create. */
export type Created = CertificationInvite | PackageInvite

/** The creates of one client with its ledger, and what they share. */
export interface Recording {
  readonly ledger: LedgerInternals
  readonly client: RecordedClient
  readonly skills: PackageSkills
  readonly scope: () => Promise<LedgerScope>
}

export function recordingOf(ledger: LedgerInternals, client: RecordedClient): Recording {
  return { ledger, client, skills: new PackageSkills(client.query, ledger.clock), scope: scopeReader(client) }
}

/** The create of a client: {@link createOnce}, with the result or the error that its caller gets. */
export function recordedCreate(ledger: LedgerInternals, client: RecordedClient): RecordedCreate {
  const recording = recordingOf(ledger, client)
  const { hooks } = client
  return async function recorded(operation, input, options, send) {
    const ended = await createOnce(recording, { operation, input, options, hooks }, send)
    if (ended.kind !== 'sent') return recordedResult(operation, input, options, ended, ledger.clock.now()) as never
    if (ended.mismatch !== undefined) throw ended.mismatch
    if ('error' in ended.end) throw ended.end.error
    return ended.end.result
  }
}

/** A create, for {@link createOnce}. */
export interface Create {
  readonly operation: string
  readonly input: CreateInput
  readonly options: CreateOptions
  /**
   * Of a campaign. It does not wait for another call that is inviting the candidate, but for the ledger without a limit, and
   * until it is recorded.
   */
  readonly row?: Pick<ClaimRequest, 'campaign' | 'row'> | undefined
  readonly hooks: Pick<Hooks, 'onInProgress' | 'onUnrecorded' | 'onRecordedLate'> & {
    /** Its end could not be recorded at once. */
    readonly onFailure?: (error: CertifyError) => void
  }
}

/** How a create ended: it was sent, or a record answers or blocks it. */
export type Ended<Result> = Sent<Result> | Taken | Blocking

export interface Sent<Result> extends Settled {
  readonly kind: 'sent'
  readonly reference: string
  readonly settlement: Settlement
  readonly end: { readonly result: Result } | { readonly error: unknown }
}

/* Its reference has a record, which differs in these fields from a create in this scope. */
interface Taken {
  readonly kind: 'taken'
  readonly record: LedgerRecord
  readonly differing: readonly string[]
  readonly scope: LedgerScope
}

/* How the end of a create was recorded. */
interface Settled {
  /** Why it is not recorded. */
  readonly unrecorded?: CertifyError | undefined
  /** Its response belongs to another create. */
  readonly mismatch?: CertifyError | undefined
  /** It was recorded after its lease. */
  readonly isLate: boolean
}

/**
 * One create, of a client or of a campaign: claims its candidate, unless a record answers or blocks it; sends it; and records
 * how it ended. It waits for the ledger, and for another call that is inviting the candidate, until its deadline.
 *
 * @param send sends it, with these options
 * @throws CertifyError if it was not claimed, and so not sent
 */
export async function createOnce<Result extends Created>(
  { ledger, client, skills, scope }: Recording,
  { operation, input, options, row, hooks }: Create,
  send: (options: SendOptions) => Promise<Result>,
): Promise<Ended<Result>> {
  const { clock } = ledger
  const { allowClockSkew, limits, runtime, service } = client
  const { ifInvited, ifUnknown, reference, ...own } = options
  const { signal, deadlineMs = limits.deadlineMs } = own
  const startedAt = runtime.elapsed()
  let inFlight: readonly LedgerRecord[] = []
  const stillInFlight = () => inProgress(operation, inFlight, clock.now(), reference)
  const limit = timeLimit(runtime, row === undefined ? deadlineMs : Number.POSITIVE_INFINITY, signal, (isAborted) =>
    isAborted || inFlight.length === 0 ? endedBeforeSending(operation, isAborted, options) : stillInFlight(),
  )
  const until = limit.signal
  const query = { ...own, signal: until }
  try {
    const recordedIn = await raceWithAbort(scope(), until)
    const quizIds = 'packageId' in input ? await raceWithAbort(skills.of(input.packageId, query), until) : []
    const request = {
      reference,
      scope: recordedIn,
      input,
      target: targetOf(input, quizIds),
      ...row,
      ifInvited,
      ifUnknown,
      allowClockSkew,
      leaseMs: deadlineMs + RECORDING_MS,
    }

    let claim = await claimNow(ledger, client, request, hooks, until)
    /* Counted, not read from the clock, which may be set back in between. */
    for (let [looks, leftMs] = [1, deadlineMs]; claim.kind !== 'claimed'; ) {
      if (claim.kind === 'invited' && claim.hasExpired === true && !service.isCurrent()) {
        await raceWithAbort(askTime(client, query), until)
      } else {
        const differing = claim.kind === 'taken' ? conflicts({ ...recordedIn, input }, claim.record) : []
        inFlight = recordsInFlight(claim, differing)
        if (inFlight.length === 0 || row !== undefined)
          return claim.kind === 'taken' ? { ...claim, differing, scope: recordedIn } : claim
        if (leftMs <= 0) throw stillInFlight()
        if (looks === 1) notify(hooks.onInProgress, stillInFlight)
        const waitMs = Math.min(backOffMs(looks, INITIAL_POLL_MS, MAX_POLL_MS), leftMs)
        await pause(clock, waitMs, until)
        looks += 1
        leftMs -= waitMs
      }
      claim = await claimNow(ledger, client, request, hooks, until)
    }

    /* What is sent with too little time left becomes unknown. A row has its whole time for the request. */
    const isLate = row === undefined && runtime.elapsed() - startedAt > MAX_WAITING_SHARE * deadlineMs
    const { mustEndBy } = claim
    const sent = isLate
      ? Promise.reject(endedBeforeSending(operation, false, options))
      : send({ ...own, deadlineMs, startedAt, reference: claim.reference, mustEndBy })
    const end = await sent.then(
      (result) => ({ result }),
      (error: unknown) => ({ error }),
    )

    const at = clock.now()
    const settlement = 'result' in end ? settlementOf(end.result, at) : settlementOfFailure(end.error, at)
    if ('packageId' in input) skills.learn(input.packageId, settlement)
    const settled = await settle(ledger, operation, claim, settlement, hooks, row === undefined ? until : undefined)
    return { kind: 'sent', reference: claim.reference, settlement, end, ...settled }
  } finally {
    limit.stop()
  }
}

/* A create that ends at its deadline needs some time to be recorded. */
const RECORDING_MS = 30_000

/* The part of a create's time that it may wait, and still be sent. */
const MAX_WAITING_SHARE = 0.9

/* How long to wait before looking again whether another call has ended. */
const INITIAL_POLL_MS = 50
const MAX_POLL_MS = 1000

/* A claim, and the end of its lease: by the clock of the client, and by the ledger's. */
interface Lease extends ClaimKey {
  readonly kind: 'claimed'
  readonly mustEndBy: number
  readonly leaseUntil: number
}

/* Once `until` is aborted, this rejects with its reason. A claim that still succeeds is then settled as not sent. */
function claimNow(
  ledger: LedgerInternals,
  { allowClockSkew, runtime, service }: RecordedClient,
  request: Omit<ClaimRequest, 'serviceTime'>,
  hooks: Create['hooks'],
  until: AbortSignal,
): Promise<Lease | Exclude<Claim, { readonly kind: 'claimed' }>> {
  until.throwIfAborted()
  const { leaseMs } = request
  /* Read before the claim, so that it ends before the lease does, by whichever clock. */
  const lease = { mustEndBy: runtime.now() + leaseMs, leaseUntil: ledger.clock.now() + leaseMs }
  const serviceTime = allowClockSkew ? undefined : service.now()
  const claiming = ledger
    .claim({ ...request, serviceTime }, until)
    .then((claim) => (claim.kind === 'claimed' ? { ...claim, ...lease } : claim))
  ledger.trackPending(claiming)
  return raceWithAbort(claiming, until, (claim) => {
    const code = isCertifyError(until.reason) ? until.reason.code : 'ABORTED'
    if (claim.kind === 'claimed') void settle(ledger, '', claim, { state: 'not-executed', code }, hooks)
  })
}

/* Any response tells the service's time, even a refusal. */
async function askTime({ query, service }: RecordedClient, options: CallOptions): Promise<void> {
  try {
    await query(NO_TRACK, options)
  } catch (error) {
    if (!service.isCurrent()) throw error
  }
  service.saw(null)
}

/* What a create waits for. */
function recordsInFlight(
  claim: Exclude<Claim, { readonly kind: 'claimed' }>,
  differing: readonly string[],
): readonly LedgerRecord[] {
  if (claim.kind === 'in-flight') return claim.records
  return claim.kind === 'taken' && claim.record.state === 'sending' && differing.length === 0 ? [claim.record] : []
}

/*
 * Records how a create ended. It does not reject: the caller must still learn the outcome. It tries until the lease ends;
 * from then on the record is unknown, and not sent again.
 *
 * `until` ends the wait, but not the recording. An invite that is not recorded by then is reported; any other create may count
 * as unknown meanwhile.
 */
async function settle(
  ledger: LedgerInternals,
  operation: string,
  claim: Lease,
  settlement: Settlement,
  { onUnrecorded = warnOfUnrecorded, onRecordedLate = warnOfLate, onFailure }: Create['hooks'],
  until?: AbortSignal,
): Promise<Settled> {
  const { reference } = claim
  let unrecorded: CertifyError | undefined
  const tell = (error: CertifyError): Settled => {
    if (unrecorded === undefined) notify(onUnrecorded, () => error)
    unrecorded = error
    return { unrecorded, isLate: false }
  }
  const record = async (): Promise<Settled> => {
    for (let failures = 1; ; failures += 1) {
      try {
        const recorded = await ledger.settle(claim, settlement)
        if (recorded === 'not-found' && mayHaveCreated(settlement)) return tell(recordLost(reference))
        if (recorded === 'late') notify(onRecordedLate, () => reference)
        const mismatch = recorded === 'mismatched' ? responseMismatched(operation, reference) : undefined
        return { isLate: recorded === 'late', unrecorded, mismatch }
      } catch (failure) {
        if (!isCertifyError(failure)) throw failure
        if (failures === 1) onFailure?.(failure)
        const leftMs = claim.leaseUntil - ledger.clock.now()
        if (leftMs <= 0 || PERMANENT.has(failure)) return tell(failure)
        await pause(ledger.clock, Math.min(backOffMs(failures, INITIAL_BACKOFF_MS, MAX_BACKOFF_MS), leftMs))
      }
    }
  }
  const recording = record()
  ledger.trackPending(recording)
  return raceWithAbort(recording, until).catch((error: unknown) => {
    if (until?.aborted !== true) throw error
    return settlement.state === 'created' ? tell(notRecordedYet(reference)) : { unrecorded, isLate: false }
  })
}

/* How long to wait before recording again. */
const INITIAL_BACKOFF_MS = 100
const MAX_BACKOFF_MS = 2_000

function mayHaveCreated({ state }: Settlement): boolean {
  return state === 'created' || state === 'unknown'
}

/* A purge removed it after its lease, or a failover of the database lost it. Another create would not be refused. */
function recordLost(reference: string): CertifyError {
  return ledgerUnusable(
    `it has lost the record ${reference}`,
    'It may have created an invite that the ledger does not know. After a failover or a restore, read docs/queues.md.',
  )
}

function notRecordedYet(reference: string): CertifyError {
  return ledgerUnusable(
    `it has not recorded yet how the create ${reference} ended`,
    'Recording is tried again until its lease ends; from then on it counts as unknown.',
  )
}

/* The default observers: without them this would be lost. */
function warnOfUnrecorded(error: CertifyError): void {
  warn(
    `A create ended and is not recorded. Unless that succeeds by the end of its lease, it counts as unknown. ${error.message}`,
    'CERTIFY_LEDGER_UNRECORDED',
  )
}

function warnOfLate(reference: string): void {
  warn(
    `The create ${reference} ended after its lease. It is recorded now. Until then it may have counted as unknown: check ` +
      'whether it was resolved or sent again.',
    'CERTIFY_LEDGER_LATE',
  )
}

/* What the caller of a create that was not sent gets: the recorded result, or why it was not sent. */
function recordedResult(
  operation: string,
  input: CreateInput,
  options: CreateOptions,
  ended: Taken | Blocking,
  now: number,
): Created {
  if (ended.kind !== 'taken') throw notSent(operation, input, ended, now, options.reference)
  const { record, differing, scope } = ended
  const { reference } = record
  if (differing.length > 0) throw referenceConflict(operation, record, differing, now, scope)
  if (record.state === 'unknown') throw priorUnknown(operation, [record], now, reference)
  const result = resultIn(record)
  if (result === undefined)
    throw alreadyInvited(operation, [record], now, { canReuse: false, differing: [] }, reference)
  return result
}

/* Why a create was not sent, and whether `reuse` would have returned the open invite. */
function notSent(
  operation: string,
  input: CreateInput,
  { kind, records, missingQuizIds, hasExpired }: Blocking,
  now: number,
  reference: string | undefined,
): CertifyError {
  if (kind === 'unknown') return priorUnknown(operation, records, now, reference)
  const same = records.filter((record) => isSameTarget(record.input, input))
  const newest = records.at(-1)
  const differing = newest === undefined || same.length > 0 ? [] : targetDifferences(input, newest.input)
  const canReuse = same.some((record) => resultIn(record) !== undefined)
  return alreadyInvited(operation, records, now, { canReuse, differing, missingQuizIds, hasExpired }, reference)
}
