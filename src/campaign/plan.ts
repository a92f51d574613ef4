import timers from 'node:timers'
import { type ClientParts, partsOfClient } from '../client-parts.ts'
import type { AbortSignalLike, AdminSessionClient, Authentication } from '../index.ts'
import type { LedgerScope, LookedUp, SendInput, Target } from '../ledger/rules/entry.ts'
import { copyOf, issuesOf } from '../ledger/rules/input.ts'
import { targetOf } from '../ledger/rules/key.ts'
import type { Ledger } from '../ledger/rules/ledger.ts'
import { PackageSkills } from '../ledger/rules/package-skills.ts'
import type { LedgerGuard } from '../ledger/guard.ts'
import { optionsInvalid } from '../refusals.ts'
import { decideRow, missingQuizzes } from './overlap.ts'
import { type PlannedSends, plannedSends } from './planned-sends.ts'
import type { CampaignRow, PlannedRow, PlannedStatus } from './row.ts'

/** The options of a plan. */
export interface PlanOptions {
  /** A client with a ledger. The campaign sends and records as it does. */
  readonly client: AdminSessionClient
  /** A name for the campaign in the ledger, such as its file name. */
  readonly campaign?: string | undefined
  /** Stops the reading. The plan then rejects with the signal's reason. */
  readonly signal?: AbortSignalLike | undefined
}

/** What a campaign would send. */
export interface CampaignPlan extends PlannedSends {
  /** The number of rows by status. `planned` rows will be sent. */
  readonly counts: Readonly<Record<PlannedStatus, number>>
  /**
   * The number of rows whose earlier send has lapsed. `invited`: `planned` rows that were invited before, and whose links
   * have expired. `unknown`: `unknown` rows whose possible links have expired by now.
   */
  readonly lapsed: { readonly invited: number; readonly unknown: number }
  /** The rows with an unknown outcome. They are sent again if `ifUnknown` is `create`. */
  readonly unknown: PlannedSends
  /**
   * Whether there are packages whose quizzes this key may not read. A single invite of such a quiz is then not
   * detected.
   */
  readonly hasUnreadPackages: boolean
  /** The rows, in order. */
  readonly rows: readonly PlannedRow[]
}

/** What a run needs of a plan. Private to this folder. */
export interface PlanParts {
  readonly options: PlanOptions
  readonly send: Pick<ClientParts, 'sendInvite' | 'sendPackageInvite'>
  readonly guard: LedgerGuard
  readonly ledger: Ledger
  readonly scope: LedgerScope
  readonly skills: PackageSkills
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
 * @throws CertifyError CONFIG_INVALID if the client has no ledger, LEDGER_UNUSABLE, or as `tracks.list`; the outcome is always
 *   `not-executed`
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
  const send = partsOfClient(options.client)
  if (send?.guard === undefined) {
    const rule = 'must be a CertifyClient with the option `ledger`: a campaign is recorded'
    throw optionsInvalid('planCampaign', [{ path: 'client', rule }])
  }
  const guard = send.guard as LedgerGuard
  const { ledger } = guard
  const scope = await guard.scope()
  const skills = new PackageSkills(options.client.tracks.list, ledger.clock)
  const planned: PlannedRow[] = []
  /* The row that has a candidate and quiz or package first. */
  const firstRows = new Map<string, number>()
  for await (const chunk of chunksOf(rows)) {
    if (options.signal?.aborted === true) throw options.signal.reason
    const read = chunk.map((row, index) => readRow(row, planned.length + index + 1, send.authentication))
    const targets = await Promise.all(read.map((row) => targetFor(row, skills)))
    const found = await lookUpAll(ledger, scope, targets)
    const invited = targets.filter((target, index) => target !== undefined && found[index]?.kind === 'invited')
    const missing = await missingQuizzes(ledger, scope, invited as readonly Target[])
    for (const [index, row] of read.entries()) {
      const target = targets[index]
      const free = (target && missing.get(target)) ?? []
      planned.push(target === undefined ? row : decideRow(firstRows, withStatus(row, found[index]), target, free))
    }
    /* Lets the caller's signals and timers run. */
    await new Promise((resolve) => timers.setImmediate(resolve))
  }
  const plan = { ...countedRows(planned), hasUnreadPackages: skills.isForbidden, rows: planned }
  PARTS.set(plan, { options, send, guard, ledger, scope, skills })
  return plan
}

function countedRows(rows: readonly PlannedRow[]): Omit<CampaignPlan, 'hasUnreadPackages' | 'rows'> {
  const counts = { planned: 0, already_invited: 0, partly_invited: 0, duplicate: 0, rejected: 0, unknown: 0 }
  const lapsed = { invited: 0, unknown: 0 }
  for (const { status, lapsed: hasLapsed } of rows) {
    counts[status] += 1
    if (hasLapsed === true) lapsed[status === 'unknown' ? 'unknown' : 'invited'] += 1
  }
  return {
    ...plannedSends(rows.filter(({ status }) => status === 'planned')),
    counts,
    lapsed,
    unknown: plannedSends(rows.filter(({ status }) => status === 'unknown')),
  }
}

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

function readRow({ input, row, issues = [] }: CampaignRow, count: number, by: Authentication): PlannedRow {
  const reported = new Set(issues.map(({ path }) => path))
  const found = [...issues, ...issuesOf(input, by).filter(({ path }) => !reported.has(path))]
  const place = { row: row ?? count, duplicateOf: undefined }
  if (found.length > 0) return { ...place, status: 'rejected', input: rejectedInput(input), issues: found }
  return { ...place, status: 'planned', input: copyOf(input as SendInput), issues: [] }
}

/* The contents of an invalid row, for the person who corrects it. */
function rejectedInput(input: unknown): SendInput | undefined {
  return typeof input === 'object' && input !== null ? copyOf(input as SendInput) : undefined
}

/** The target of a row, with all known quizzes of its package; `undefined` if the row is not valid. */
export async function targetFor({ input, status }: PlannedRow, skills: PackageSkills): Promise<Target | undefined> {
  if (status === 'rejected' || status === 'duplicate' || input === undefined) return undefined
  return targetWith(input, skills)
}

/** The target of an input, with all known quizzes of its package. */
export async function targetWith(input: SendInput, skills: PackageSkills): Promise<Target> {
  return targetOf(input, 'packageId' in input ? await skills.of(input.packageId) : [])
}

async function lookUpAll(
  ledger: Ledger,
  scope: LedgerScope,
  targets: readonly (Target | undefined)[],
): Promise<readonly (LookedUp<never> | undefined)[]> {
  const valid = targets.filter((target) => target !== undefined)
  const found = await ledger.lookUp(scope, valid, 'kinds')
  const byTarget = new Map(valid.map((target, index) => [target, found[index]]))
  return targets.map((target) => target && byTarget.get(target))
}

/* The status of a row by what the ledger has for it, and whether that has lapsed. */
function withStatus(row: PlannedRow, found: LookedUp<never> = { kind: 'claimed' }): PlannedRow {
  const lapsed = found.kind === 'expired' || (found.kind === 'unknown' && found.isLapsed === true)
  return { ...row, status: STATUS_BY_KIND[found.kind], ...(lapsed && { lapsed }) }
}

/* A row that is being sent now is decided at its turn. */
const STATUS_BY_KIND = {
  claimed: 'planned',
  expired: 'planned',
  'in-flight': 'planned',
  invited: 'already_invited',
  unknown: 'unknown',
} as const satisfies Record<LookedUp['kind'], PlannedStatus>
