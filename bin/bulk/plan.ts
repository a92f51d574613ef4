import type { CampaignPlan, CampaignRow, PlannedRow } from '../../src/campaign/index.ts'
import type { CertifyClient, PackageTrack } from '../../src/index.ts'
import type { CallbackFlags } from '../callbacks/callback-urls.ts'
import { codeOf } from '../cli-error.ts'
import { doubtIn } from '../invites/doubtful-address.ts'
import type { OpenSender } from '../ledger/open-ledger.ts'
import { isEmpty, refuseOtherAccounts } from '../ledger/other-account.ts'
import { nearest } from '../spelling.ts'
import type { RowOptions } from './columns.ts'
import type { OutputOptions } from './report.ts'

export interface BulkOptions extends RowOptions, OutputOptions, CallbackFlags {
  readonly skipInvalid?: boolean
  readonly concurrency?: number
  /** Requests per second. */
  readonly rate?: number
  readonly maxFailures?: number
  /** In milliseconds. */
  readonly maxOutage?: number
  readonly allowClockSkew?: boolean
}

/** A plan, and what else a person should know before it is sent. */
export interface BulkPlan {
  readonly plan: CampaignPlan
  /** What the service lists, or the code of the failure if it did not respond. */
  readonly listed: readonly PackageTrack[] | string
  readonly unlisted: readonly UnlistedId[]
  /** Addresses that may be mistyped, by what is wrong with them. */
  readonly doubts: ReadonlyMap<string, readonly number[]>
  /** Whether the ledger has nothing for the account: then no candidate is recognised. */
  readonly isLedgerEmpty: boolean
}

/** An identifier in the rows that the service does not list. */
export interface UnlistedId {
  readonly kind: 'quiz' | 'package'
  readonly id: string
  readonly rows: readonly number[]
  /** A similar one that is listed. */
  readonly near: string | undefined
  /** Whether it is listed as the other kind: a quiz as a package, or a package as a quiz. */
  readonly isOtherKind: boolean
}

/** Plans rows. Creates no invite. @throws CliError, CertifyError, also UNAUTHENTICATED: a wrong key stops it here */
export async function planRows(
  sender: OpenSender,
  rows: Iterable<CampaignRow>,
  options: { readonly campaign: string; readonly signal: AbortSignal },
): Promise<BulkPlan> {
  const { planCampaign } = await import('../../src/campaign/index.ts')
  const plan = await planCampaign(rows, { client: sender.client, ...options })
  const planned = plan.rows.filter(({ status }) => status === 'planned')
  await refuseOtherAccounts(
    sender,
    planned.map(({ input }) => input?.candidate.email ?? ''),
  )
  const doubts = new Map<string, number[]>()
  for (const { input, row } of planned) {
    const doubt = doubtIn(input?.candidate.email ?? '')
    if (doubt !== undefined) doubts.set(doubt, [...(doubts.get(doubt) ?? []), row])
  }
  const listed = plan.rows.length === 0 ? [] : await listTracks(sender.client, options.signal)
  const unlisted = typeof listed === 'string' ? [] : unlistedIn(plan.rows, listed)
  return { plan, listed, unlisted, doubts, isLedgerEmpty: await isEmpty(sender.ledger, sender.scope) }
}

/* A plan is possible without the list. */
async function listTracks(client: CertifyClient, signal: AbortSignal): Promise<BulkPlan['listed']> {
  try {
    return await client.tracks.list({}, { signal, retry: false })
  } catch (error) {
    const code = codeOf(error)
    if (code === undefined || code === 'UNAUTHENTICATED' || signal.aborted) throw error
    return code
  }
}

function unlistedIn(rows: readonly PlannedRow[], tracks: readonly PackageTrack[]): readonly UnlistedId[] {
  const packages = tracks.flatMap((track) => track.packages)
  const quizzes = packages.flatMap(({ skills }) => skills.map(({ quizId }) => quizId.trim()))
  const listed = { quiz: new Set(quizzes), package: new Set(packages.map(({ id }) => id.trim())) }
  const found = new Map<string, UnlistedId & { readonly rows: number[] }>()
  for (const { input, row } of rows) {
    const { quizId, packageId } = (input ?? {}) as { readonly quizId?: string; readonly packageId?: string }
    const id = (packageId ?? quizId)?.trim()
    const kind = packageId === undefined ? 'quiz' : 'package'
    if (!id || listed[kind].has(id)) continue
    const known = found.get(`${kind} ${id}`)
    if (known !== undefined) known.rows.push(row)
    else if (found.size < MOST_IDS) {
      const isOtherKind = listed[kind === 'quiz' ? 'package' : 'quiz'].has(id)
      const near = isOtherKind ? undefined : nearest(id, [...listed[kind]], ALIKE)
      found.set(`${kind} ${id}`, { kind, id, rows: [row], near, isOtherKind })
    }
  }
  return [...found.values()]
}

/* The identifiers of a catalogue resemble each other. */
const ALIKE = 0.2
const MOST_IDS = 1000
