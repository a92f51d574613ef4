import type { CertifyClient } from '../client.ts'
import type { AbortSignalLike } from '../clock.ts'
import { type Recording, recordingOf } from '../ledger/create.ts'
import { internalsOfLedger } from '../ledger/rules/ledger-types.ts'
import type { LookedUp, Target } from '../ledger/rules/model.ts'
import { targetOf } from '../ledger/rules/key.ts'
import { checkInput, type CreateInput, createOf } from '../operations.ts'
import { type ClientInternals, internalsOfClient, type RecordingLedger } from '../internals.ts'
import { nextTurn } from '../util/timers.ts'
import { checkOptions, closedAs, isObject, isString, once, oneOf, option, rule, signalOption } from '../validation.ts'
import { Duplicates } from './duplicates.ts'
import type { CampaignRow, PlannedRow, PlannedStatus } from './row.ts'

/** The options of a plan. */
export interface PlanOptions {
  /** A client with a ledger. The campaign sends and records as it does. */
  readonly client: CertifyClient
  /** A name for the campaign in the ledger, such as its file name. */
  readonly campaign?: string | undefined
  /**
   * What to do with candidates whose earlier links have expired: skip them, so that the same file sent again after 14 days
   * invites nobody again, or invite them. A candidate with a recorded result is skipped either way. Default: `skip`.
   */
  readonly ifExpired?: 'skip' | 'invite' | undefined
  /** Stops reading. The call then rejects with the signal's reason. */
  readonly signal?: AbortSignalLike | undefined
}

/** What a set of rows would send. */
export interface PlannedSends {
  /** The number of rows by whether the service e-mails the candidate. */
  readonly emails: {
    /** The number of rows whose candidate it would e-mail. */
    readonly sent: number
    /** The number of rows whose candidate it would not e-mail: `sendInviteEmail` is `false`. */
    readonly notSent: number
  }
  /** The number of rows of each quiz or package, by its identifier. */
  readonly targets: ReadonlyMap<string, number>
  /** The hosts of the callback URLs. */
  readonly callbackHosts: readonly string[]
}

/** What a campaign would send. */
export interface CampaignPlan extends PlannedSends {
  /** The number of rows by status. `planned` rows will be sent. */
  readonly counts: Readonly<Record<PlannedStatus, number>>
  /** The number of rows whose earlier create has lapsed. */
  readonly lapsed: {
    /** The number of `planned` rows whose earlier links have expired. */
    readonly invited: number
    /** The number of `unknown` rows whose links, if they were created, have expired by now. */
    readonly unknown: number
  }
  /** The rows with an unknown outcome. They are sent again if `ifUnknown` is `create`. */
  readonly unknown: PlannedSends
  /**
   * Whether there are packages whose quizzes this key may not read. A single invite to such a quiz then goes
   * undetected.
   */
  readonly hasUnreadPackages: boolean
  /** The rows, in order. */
  readonly rows: readonly PlannedRow[]
}

/** What a run needs from a plan. Private to this folder. */
export interface PlanParts {
  readonly options: PlanOptions
  readonly send: ClientInternals
  readonly recording: Recording
}

const PARTS = new WeakMap<CampaignPlan, PlanParts>()

/** @throws TypeError if the plan is not from this package */
export function partsOf(plan: CampaignPlan): PlanParts {
  const parts = PARTS.get(plan)
  if (parts === undefined) throw new TypeError('The plan must be from planCampaign.')
  return parts
}

/**
 * Reads and checks all rows, and compares them with each other and with the ledger. It creates nothing. If rows contain
 * packages, it lists the service's packages. All rows are kept in memory: about 2 kB each.
 *
 * @throws CertifyError CONFIG_INVALID, also if the client has no ledger, LEDGER_UNUSABLE, or any code of `tracks.list`; the
 *   outcome is always `not-executed`
 * @example
 * ```ts
 * const plan = await planCampaign(rows, { client, campaign: 'spring.csv' })
 * console.log(plan.counts)
 * ```
 */
export async function planCampaign(
  rows: AsyncIterable<CampaignRow> | Iterable<CampaignRow>,
  options: PlanOptions,
): Promise<CampaignPlan> {
  checkOptions('planCampaign', planOptions, options)
  const { client, signal } = options
  const send = internalsOfClient(client) as ClientInternals & { readonly ledger: RecordingLedger }
  const asked = recordingOf(internalsOfLedger(send.ledger), send.client)
  /* Asked once: a mock that starts again must not split a run into two worlds. */
  const scope = await asked.scope()
  const recording = { ...asked, scope: async () => scope }
  const parts = { options, send, recording }
  const planned: PlannedRow[] = []
  const duplicates = new Duplicates()
  for await (const chunk of chunksOf(rows)) {
    if (signal?.aborted === true) throw signal.reason
    const read = chunk.map((row, index) => readRow(row, planned.length + index + 1, send))
    for (const { row, target, found } of await lookUpRows(parts, read)) {
      planned.push(target === undefined ? row : duplicates.decide(withStatus(row, found, options), target))
    }
    /* Lets the caller's signals and timers run. */
    await nextTurn()
  }
  const counts = {
    planned: 0,
    already_invited: 0,
    expired: 0,
    partly_invited: 0,
    duplicate: 0,
    rejected: 0,
    unknown: 0,
  }
  const lapsed = { invited: 0, unknown: 0 }
  for (const { status, lapsed: hasLapsed } of planned) {
    counts[status] += 1
    if (hasLapsed === true) lapsed[status === 'unknown' ? 'unknown' : 'invited'] += 1
  }
  const plan: CampaignPlan = {
    ...plannedSends(planned.filter(({ status }) => status === 'planned')),
    unknown: plannedSends(planned.filter(({ status }) => status === 'unknown')),
    counts,
    lapsed,
    hasUnreadPackages: recording.skills.isForbidden,
    rows: planned,
  }
  PARTS.set(plan, parts)
  return plan
}

const planOptions = once(() =>
  closedAs<PlanOptions>()({
    client: rule<object>(
      (client) => internalsOfClient(Object(client) as object)?.ledger !== undefined,
      'must be a CertifyClient with the option `ledger`: a campaign is recorded',
    ),
    campaign: option(isString, 'must be a name'),
    ifExpired: oneOf('skip', 'invite'),
    signal: signalOption(),
  }),
)

/** The number of rows in a batch. */
export const CHUNK = 500

async function* chunksOf(rows: AsyncIterable<CampaignRow> | Iterable<CampaignRow>): AsyncGenerator<CampaignRow[]> {
  let chunk: CampaignRow[] = []
  for await (const row of rows) {
    chunk.push(row)
    if (chunk.length < CHUNK) continue
    yield chunk
    chunk = []
  }
  if (chunk.length > 0) yield chunk
}

function readRow(
  { input, row, issues = [] }: CampaignRow,
  count: number,
  { authentication }: Pick<ClientInternals, 'authentication'>,
): PlannedRow {
  const reported = new Set(issues.map(({ path }) => path))
  const { issues: broken = [] } = checkInput(createOf(input), input, authentication)
  const found = [...issues, ...broken.filter(({ path }) => !reported.has(path))]
  /* Copied: the caller may change its object later. Invalid rows are kept too, for the person who corrects them. */
  const copy = isObject(input) ? (JSON.parse(JSON.stringify(input)) as CreateInput) : undefined
  const status = found.length > 0 ? 'rejected' : 'planned'
  return { row: row ?? count, status, input: copy, issues: found, duplicateOf: undefined }
}

/** A row and what the ledger has for it now; without a target if it is invalid or a duplicate. */
export interface LookedUpRow {
  readonly row: PlannedRow
  readonly target: Target | undefined
  readonly found: LookedUp | undefined
}

/** Looks rows up in the ledger. */
export async function lookUpRows(
  { recording: { ledger, skills, scope } }: Pick<PlanParts, 'recording'>,
  rows: readonly PlannedRow[],
): Promise<readonly LookedUpRow[]> {
  const targets = await Promise.all(
    rows.map(async ({ input, status }) => {
      if (status === 'rejected' || status === 'duplicate' || input === undefined) return undefined
      return targetOf(input, 'packageId' in input ? await skills.of(input.packageId) : [])
    }),
  )
  const found = await ledger.lookUp(
    await scope(),
    targets.filter((target) => target !== undefined),
  )
  let next = 0
  return rows.map((row, index) => {
    const target = targets[index]
    if (target === undefined) return { row, target, found: undefined }
    next += 1
    return { row, target, found: found[next - 1] }
  })
}

/*
 * The status of a row according to the ledger, and whether its earlier create has lapsed. A row in flight is decided at
 * its turn.
 */
function withStatus(row: PlannedRow, found: LookedUp | undefined, { ifExpired }: PlanOptions): PlannedRow {
  if (found?.kind === 'expired') {
    return ifExpired === 'invite' && !found.hasResult ? { ...row, lapsed: true } : { ...row, status: 'expired' }
  }
  if (found?.kind === 'invited') {
    const { missingQuizIds } = found
    return { ...row, status: 'already_invited', ...(missingQuizIds.length > 0 && { missingQuizIds }) }
  }
  if (found?.kind !== 'unknown') return row
  return { ...row, status: 'unknown', ...(found.isLapsed === true && { lapsed: true }) }
}

function plannedSends(rows: readonly PlannedRow[]): PlannedSends {
  const emails = { sent: 0, notSent: 0 }
  const targets = new Map<string, number>()
  const hosts = new Set<string>()
  for (const { input } of rows) {
    if (input === undefined) continue
    emails[input.sendInviteEmail === false ? 'notSent' : 'sent'] += 1
    const target = 'packageId' in input ? input.packageId : input.quizId
    targets.set(target, (targets.get(target) ?? 0) + 1)
    if (input.callbackUrl !== undefined) hosts.add(new URL(input.callbackUrl).host)
  }
  return { emails, targets, callbackHosts: [...hosts] }
}
