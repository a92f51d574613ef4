import timers from 'node:timers'
import type { AbortSignalLike, AdminSessionClient } from '../index.ts'
import type { LedgerScope, LookedUp, SendInput, Target } from '../ledger/rules/entry.ts'
import { copyOf, issuesOf } from '../ledger/rules/input.ts'
import { targetOf } from '../ledger/rules/key.ts'
import type { Ledger } from '../ledger/rules/ledger.ts'
import { PackageSkills } from '../ledger/rules/package-skills.ts'
import { refuseGuarded, scopeOf, type WithLedgerOptions } from '../ledger/with-ledger.ts'
import { decideRow, missingQuizzes } from './overlap.ts'
import { PlanRows } from './plan-rows.ts'
import { type PlannedSends, SendCounts } from './planned-sends.ts'
import type { CampaignRow, PlannedRow, PlannedStatus } from './row.ts'

/** The client and the ledger of a campaign. */
export interface PlanOptions extends Pick<WithLedgerOptions, 'account' | 'world'> {
  /** The client itself, of either kind, without a ledger. */
  readonly client: AdminSessionClient
  readonly ledger: Ledger
  /** A name for the campaign in the ledger, such as its file name. */
  readonly campaign?: string | undefined
  /**
   * Whether the missing quizzes of a package that is invited in part are sent, each as a single invite. Default: false,
   * such a row is `partly_invited`.
   */
  readonly fillPackages?: boolean | undefined
  /** Stops the reading. The plan then rejects with the signal's reason. */
  readonly signal?: AbortSignalLike | undefined
}

/** What a campaign would send. It uses resources until you close it. */
export interface CampaignPlan extends PlannedSends {
  /** The number of rows by status. `planned` rows will be sent. */
  readonly counts: Readonly<Record<PlannedStatus, number>>
  /**
   * The number of rows whose earlier send has lapsed. `invited`: `planned` rows that were invited before, and whose links
   * have expired. `unknown`: `unknown` rows whose possible links have expired by now.
   */
  readonly lapsed: { readonly invited: number; readonly unknown: number }
  /** How many of the `planned` rows are packages of which only the missing quizzes are sent. */
  readonly filledPackages: number
  /** The rows with an unknown outcome. They are sent again if `ifUnknown` is `create`. */
  readonly unknown: PlannedSends
  /**
   * Whether there are packages whose quizzes this key may not read. A single invite of such a quiz is then not
   * detected.
   */
  readonly hasUnreadPackages: boolean
  /** The rows in order, read in pages. With a status, only those. */
  readonly rows: (status?: PlannedStatus) => AsyncIterable<PlannedRow>
  /** Releases all resources. */
  readonly close: () => void
}

/** What a run needs of a plan. Private to this folder. */
export interface PlanParts {
  readonly options: PlanOptions
  readonly scope: LedgerScope
  readonly skills: PackageSkills
  /** The rows after so many, at most `size` of them. */
  readonly pageOf: (after: number, size: number) => readonly PlannedRow[]
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
 * packages, it lists the service's packages. Memory does not grow with the rows.
 *
 * @throws CertifyError LEDGER_UNUSABLE, or as `tracks.list`; the outcome is always `not-executed`
 * @example
 * ```ts
 * const plan = await planCampaign(rows, { client, ledger, account: 'acme-production', campaign: 'spring.csv' })
 * console.log(plan.counts)
 * ```
 */
export async function planCampaign(
  rows: AsyncIterable<CampaignRow> | Iterable<CampaignRow>,
  options: PlanOptions,
): Promise<CampaignPlan> {
  refuseGuarded(options.client, 'planCampaign')
  const scope = scopeOf(options.client.endpoint, options)
  const skills = new PackageSkills(options.client.tracks, options.ledger.clock)
  const { fillPackages = false } = options
  const planRows = new PlanRows()
  const counts = { planned: 0, already_invited: 0, partly_invited: 0, duplicate: 0, rejected: 0, unknown: 0 }
  const lapsed = { invited: 0, unknown: 0 }
  let filledPackages = 0
  const sends = { planned: new SendCounts(), unknown: new SendCounts() }

  const keep = (planned: PlannedRow) => {
    planRows.add(planned)
    counts[planned.status] += 1
    if (planned.lapsed === true) lapsed[planned.status === 'unknown' ? 'unknown' : 'invited'] += 1
    if (planned.input === undefined || (planned.status !== 'planned' && planned.status !== 'unknown')) return
    sends[planned.status].add(planned.input, planned.missingQuizIds)
    if (planned.missingQuizIds !== undefined) filledPackages += 1
  }

  try {
    let count = 0
    for await (const chunk of chunksOf(rows)) {
      if (options.signal?.aborted === true) throw options.signal.reason
      const before = count
      count += chunk.length
      const read = chunk.map((row, index) => readRow(row, before + index + 1))
      const targets = await Promise.all(read.map((row) => targetFor(row, skills)))
      const found = await lookUpAll(options.ledger, scope, targets)
      const invited = targets.filter((target, index) => target !== undefined && found[index]?.kind === 'invited')
      const missing = await missingQuizzes(options.ledger, scope, invited as readonly Target[])
      planRows.inTransaction(() => {
        for (const [index, row] of read.entries()) {
          const target = targets[index]
          if (target === undefined) keep(row)
          else {
            const free = missing.get(target) ?? []
            keep(decideRow(planRows, withStatus(row, found[index]), target, { free, fills: fillPackages }))
          }
        }
      })
      /* Lets the caller's signals and timers run. */
      await new Promise((resolve) => timers.setImmediate(resolve))
    }
  } catch (error) {
    planRows.close()
    throw error
  }

  const plan: CampaignPlan = {
    ...sends.planned.counted(),
    counts,
    lapsed,
    filledPackages,
    unknown: sends.unknown.counted(),
    hasUnreadPackages: skills.isForbidden,
    async *rows(status) {
      for (let after = 0; ; ) {
        const page = planRows.page(after, CHUNK, status)
        if (page.rows.length === 0) return
        yield* page.rows
        after = page.last
      }
    },
    close: () => planRows.close(),
  }
  PARTS.set(plan, { options, scope, skills, pageOf: (after, size) => planRows.page(after, size).rows })
  return plan
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

function readRow({ input, row, issues = [] }: CampaignRow, count: number): PlannedRow {
  const reported = new Set(issues.map(({ path }) => path))
  const found = [...issues, ...issuesOf(input).filter(({ path }) => !reported.has(path))]
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
