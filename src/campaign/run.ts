import { type CertifyError, isCertifyError, settle } from '../index.ts'
import { alreadyInvited, priorUnknown } from '../ledger/failures.ts'
import { Guard } from '../ledger/guard.ts'
import { settlementOf, settlementOfFailure } from '../ledger/outcome.ts'
import type { LedgerEntry, SendInput } from '../ledger/entry.ts'
import { EventQueue } from './events.ts'
import { Pace } from './pace.ts'
import { CHUNK, type CampaignPlan, partsOf, type PlanParts, targetFor } from './plan.ts'
import { judge } from './policy.ts'
import { Tally } from './tally.ts'
import type { CampaignEvent, CampaignSummary, PlannedRow, RowEvent, RowStatus } from './row.ts'

/** How a campaign is run. */
export interface RunOptions {
  /** How many requests may be on their way at once, 1 or more. Default: 8. */
  readonly concurrency?: number | undefined
  /** How many requests may leave in a second. Default: as many as can. */
  readonly ratePerSecond?: number | undefined
  /** Ends the run when so many rows were refused, failed or are unknown. Default: never. */
  readonly maxFailures?: number | undefined
  /** When it is aborted no further row is begun; what is on its way is waited for and recorded. */
  readonly signal?: AbortSignal | undefined
  /** `create` sends rows again whose outcome is unknown. Default: `refuse`. */
  readonly ifUnknown?: 'refuse' | 'create' | undefined
  /** How long one create may take in milliseconds. Default: that of the client, which is 30,000. */
  readonly timeoutMs?: number | undefined
}

/**
 * Runs a plan: one event for each row, as rows are done, and the summary at the end. Nothing happens before the first
 * event is asked for; whoever leaves the loop early ends the run as its signal does. To resume, plan and run the same rows again.
 *
 * A request limit makes all workers wait for as long as the service asks. A failure that every row would share ends the run.
 *
 * @example
 * ```ts
 * for await (const event of runCampaign(plan, { concurrency: 16, signal })) {
 *   if (event.type === 'row') report(event)
 *   else if (event.type === 'finished') console.log(event.summary.counts)
 * }
 * ```
 */
export async function* runCampaign(
  plan: CampaignPlan,
  options: RunOptions = {},
): AsyncGenerator<CampaignEvent, void, undefined> {
  const run = new Run(plan, partsOf(plan), options)
  const working = run.work()
  /* It is waited for below, perhaps much later. */
  working.catch(() => {})
  try {
    yield* run.events
    yield { type: 'finished', summary: await working }
  } finally {
    run.stop('aborted')
    run.events.end()
    await working
  }
}

/* How far the workers may be ahead of whoever reads the events. */
const MOST_UNREAD = 2 * CHUNK
const DEFAULT_TIMEOUT_MS = 30_000

class Run {
  readonly events = new EventQueue<CampaignEvent>(MOST_UNREAD)
  readonly #plan: CampaignPlan
  readonly #parts: PlanParts
  readonly #options: RunOptions
  readonly #guard: Guard
  readonly #pace: Pace
  readonly #stopping = new AbortController()
  readonly #recording = new Set<Promise<void>>()
  readonly #tally = new Tally()
  #stopped: CampaignSummary['stopped']
  #fault: { readonly error: unknown } | undefined

  constructor(plan: CampaignPlan, parts: PlanParts, options: RunOptions) {
    this.#plan = plan
    this.#parts = parts
    this.#options = options
    const { ledger } = parts.options
    this.#guard = new Guard(ledger, parts.scope, (error) => this.#end(error))
    this.#pace = new Pace(ledger.clock, options.ratePerSecond)
  }

  async work(): Promise<CampaignSummary> {
    const { signal, concurrency = 8 } = this.#options
    const { clock } = this.#parts.options.ledger
    const began = clock.now()
    const onAbort = () => this.stop('aborted')
    signal?.addEventListener('abort', onAbort)
    if (signal?.aborted === true) onAbort()
    const rows = this.#rowsToSend()
    const workers = Array.from({ length: Math.max(1, Math.floor(concurrency)) }, () => this.#worker(rows))
    await Promise.all(workers.map((worker) => worker.catch((error: unknown) => this.#break(error))))
    await Promise.all(this.#recording)
    signal?.removeEventListener('abort', onAbort)
    this.events.end()
    if (this.#fault !== undefined) throw this.#fault.error
    const { counts, emailsNotSent, error } = this.#tally
    const remaining = this.#tally.remaining(this.#plan.counts)
    const stopped = remaining === 0 ? undefined : this.#stopped
    return { counts: { ...counts }, remaining, emailsNotSent, stopped, error, durationMs: clock.now() - began }
  }

  stop(why: NonNullable<CampaignSummary['stopped']>): void {
    this.#stopped ??= why
    this.#stopping.abort()
  }

  async #worker(rows: AsyncGenerator<PlannedRow, void, undefined>): Promise<void> {
    for (;;) {
      await this.events.room()
      if (this.#stopping.signal.aborted) return
      const { value, done } = await rows.next()
      if (done === true) return
      await this.#send(value)
    }
  }

  /* The rows that have to be sent; of the others it is told on the way what they are. */
  async *#rowsToSend(): AsyncGenerator<PlannedRow, void, undefined> {
    const again = this.#options.ifUnknown === 'create'
    let settled: PlannedRow[] = []
    for await (const row of this.#plan.rows()) {
      if (row.status === 'planned' || (again && row.status === 'unknown')) {
        yield row
        continue
      }
      settled.push(row)
      if (settled.length < CHUNK) continue
      await this.#tell(settled)
      settled = []
      if (this.#stopping.signal.aborted) return
    }
    await this.#tell(settled)
  }

  /* What the ledger says of these rows now. */
  async #tell(rows: readonly PlannedRow[]): Promise<void> {
    const { options, scope, skills } = this.#parts
    const { ledger } = options
    const targets = await Promise.all(
      rows.map((row) => (row.status === 'duplicate' ? undefined : targetFor(row, skills))),
    )
    const asked = targets.filter((target) => target !== undefined)
    const claims = await ledger.lookUp(scope, asked)
    const byTarget = new Map(asked.map((target, index) => [target, claims[index]]))
    const now = ledger.clock.now()
    for (const [index, row] of rows.entries()) {
      const target = targets[index]
      const claim = target && byTarget.get(target)
      const entries = claim === undefined || claim.kind === 'claimed' ? [] : claim.entries
      if (row.status === 'unknown') this.#done(row, 'unknown', { entries, error: this.#unknown(row, entries, now) })
      else if (row.status !== 'planned') this.#done(row, row.status, { entries })
    }
    await this.events.room()
  }

  /* Sends a row until it is settled; its settling is recorded together with what the worker claims next. */
  async #send(row: PlannedRow): Promise<void> {
    const { input } = row
    const { options, skills } = this.#parts
    const target = await targetFor(row, skills)
    if (input === undefined || target === undefined) return
    const { timeoutMs, ifUnknown } = this.#options
    const limitMs = timeoutMs ?? DEFAULT_TIMEOUT_MS
    const operation = operationOf(input)
    for (let attempt = 1; ; attempt += 1) {
      if (!(await this.#pace.turn(this.#stopping.signal))) return
      const claimed = await settle(
        this.#guard.claim({
          operation,
          input,
          target,
          deadlineMs: limitMs,
          signal: this.#stopping.signal,
          although: { unknown: ifUnknown === 'create' },
          campaign: options.campaign,
          row: row.row,
        }),
      )
      if (!claimed.ok) {
        const { error } = claimed
        if (error.code === 'LEDGER_UNUSABLE') return this.#end(error)
        if (error.code !== 'ABORTED') this.#done(row, 'failed', { error })
        return
      }
      const decision = claimed.value
      const now = options.ledger.clock.now()
      if (decision.kind === 'invited') {
        const { entries } = decision
        return this.#done(row, 'already_invited', { entries, error: alreadyInvited(operation, entries, now) })
      }
      if (decision.kind === 'unknown') {
        const { entries } = decision
        return this.#done(row, 'unknown', { entries, error: this.#unknown(row, entries, now) })
      }
      const { reference } = decision
      const call = { reference, retry: false as const, ...(timeoutMs !== undefined && { timeoutMs }) }
      try {
        const answer = await this.#create(input, call)
        const settlement = settlementOf(answer)
        const invites = settlement.state === 'created' ? settlement.invites : []
        void this.#record(reference, settlement, () => this.#done(row, 'created', { reference, invites }))
        return
      } catch (error) {
        const settlement = settlementOfFailure(error)
        if (!isCertifyError(error)) {
          void this.#record(reference, settlement, () => this.#done(row, 'unknown', { reference }))
          throw error
        }
        const verdict = judge(error, attempt)
        const again = verdict.again && !this.#stopping.signal.aborted
        const invites = settlement.state === 'created' ? settlement.invites : []
        const recorded = this.#record(reference, settlement, () => {
          if (!again) this.#done(row, verdict.status, { reference, error, invites })
        })
        if (verdict.waitMs !== undefined) {
          this.#pace.pauseFor(verdict.waitMs)
          this.events.push({ type: 'pause', waitMs: verdict.waitMs, error })
        }
        if (verdict.ends) this.#end(error)
        if (!again) return
        await recorded
      }
    }
  }

  #create(input: SendInput, call: object) {
    const { client } = this.#parts.options
    return 'packageId' in input ? client.packageInvites.create(input, call) : client.invites.create(input, call)
  }

  /* A row is told only when it is on record: what a report says survives a crash. */
  #record(reference: string, settlement: Parameters<Guard['settle']>[1], then: () => void): Promise<void> {
    const recording = this.#guard
      .settle(reference, settlement)
      .then(then, (error: unknown) => this.#break(error))
      .finally(() => this.#recording.delete(recording))
    this.#recording.add(recording)
    return recording
  }

  #done(row: PlannedRow, status: RowStatus, { entries = [], ...known }: Found): void {
    const event: RowEvent = {
      reference: entries.at(-1)?.reference,
      error: undefined,
      invites: entries.flatMap((entry) => entry.invites),
      ...row,
      ...known,
      type: 'row',
      status,
    }
    this.#tally.add(event, entries.length === 0)
    this.events.push(event)
    if (this.#tally.failures >= (this.#options.maxFailures ?? Number.POSITIVE_INFINITY)) this.stop('failures')
  }

  #unknown(row: PlannedRow, entries: readonly LedgerEntry[], now: number): CertifyError | undefined {
    if (row.input === undefined || entries.length === 0) return undefined
    return priorUnknown(operationOf(row.input), entries, now)
  }

  #end(error: CertifyError): void {
    this.#tally.error ??= error
    this.stop('error')
  }

  #break(error: unknown): void {
    if (isCertifyError(error)) return this.#end(error)
    this.#fault ??= { error }
    this.stop('error')
  }
}

/* What is known of a row that is done. With entries, the ledger had them already and nothing was sent. */
type Found = Partial<Pick<RowEvent, 'reference' | 'invites' | 'error'>> & { readonly entries?: readonly LedgerEntry[] }

function operationOf(input: SendInput): string {
  return 'packageId' in input ? 'packageInvites.create' : 'invites.create'
}
