import type { CallbackFlags } from '../callbacks/callback-urls.ts'
import type { CampaignPlan, CampaignRow } from '../../src/campaign/index.ts'
import type { CertifyClient } from '../../src/index.ts'
import { codeOf } from '../cli-error.ts'
import { doubtIn } from '../invites/doubtful-address.ts'
import type { OpenSender } from '../ledger/open-ledger.ts'
import { isEmpty, refuseOtherAccounts } from '../ledger/other-account.ts'
import { nearest } from '../spelling.ts'
import type { RowOptions } from './read.ts'
import type { OutputOptions } from './report.ts'

export interface BulkOptions extends RowOptions, OutputOptions, CallbackFlags {
  readonly skipInvalid?: boolean
  readonly concurrency?: number
  /** Requests in a second. */
  readonly rate?: number
  readonly maxFailures?: number
  /** In milliseconds. */
  readonly maxOutage?: number
  readonly ifUnknown?: 'refuse' | 'create'
  readonly allowClockSkew?: boolean
}

/** A plan, and what else a person should know before it is sent. */
export interface BulkPlan {
  readonly plan: CampaignPlan
  readonly comparison: Comparison
  /** Addresses that may be meant differently, by what is wrong with them. */
  readonly doubts: ReadonlyMap<string, readonly number[]>
  /** Whether the ledger has nothing for the account: then no candidate is recognised. */
  readonly isLedgerEmpty: boolean
}

/** An identifier of the file that the service does not list. */
export interface UnlistedId {
  readonly kind: 'quiz' | 'package'
  readonly id: string
  readonly rows: readonly number[]
  /** A similar one that is listed. */
  readonly near: string | undefined
  /** Whether it is listed as one of the other kind. */
  readonly isOtherKind: boolean
}

export interface Comparison {
  readonly unlisted: readonly UnlistedId[]
  /** The code of the failure because of which they were not compared. */
  readonly failure: string | undefined
}

/** Plans rows. No invite is created. @throws CliError, CertifyError: also UNAUTHENTICATED, so that a wrong key stops it here */
export async function planRows(
  sender: OpenSender,
  rows: readonly CampaignRow[],
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
  const comparison = await compareIds(sender.client, rows, options.signal)
  return { plan, comparison, doubts, isLedgerEmpty: await isEmpty(sender.ledger, sender.scope) }
}

/* Asks the service once which identifiers there are. A plan is possible without an answer. */
async function compareIds(
  client: CertifyClient,
  rows: readonly CampaignRow[],
  signal: AbortSignal,
): Promise<Comparison> {
  const named = namedIds(rows)
  if (named.length === 0) return { unlisted: [], failure: undefined }
  try {
    const tracks = await client.tracks.list({}, { signal, retry: false })
    const packages = tracks.flatMap((track) => track.packages)
    const quizzes = packages.flatMap(({ skills }) => skills.map(({ quizId }) => quizId.trim()))
    const listed = { quiz: new Set(quizzes), package: new Set(packages.map(({ id }) => id.trim())) }
    const unlisted = named.filter(({ kind, id }) => !listed[kind].has(id))
    return {
      unlisted: unlisted.map((each) => {
        const isOtherKind = listed[each.kind === 'quiz' ? 'package' : 'quiz'].has(each.id)
        return { ...each, isOtherKind, near: isOtherKind ? undefined : nearest(each.id, [...listed[each.kind]], ALIKE) }
      }),
      failure: undefined,
    }
  } catch (error) {
    const code = codeOf(error)
    if (code === undefined || code === 'UNAUTHENTICATED' || signal.aborted) throw error
    return { unlisted: [], failure: code }
  }
}

/* Identifiers of one catalogue are much alike. */
const ALIKE = 0.2
const MOST_IDS = 1000

function namedIds(rows: readonly CampaignRow[]) {
  const ids = new Map<string, { readonly kind: UnlistedId['kind']; readonly id: string; readonly rows: number[] }>()
  for (const { input, row = 0 } of rows) {
    const { quizId, packageId } = (input ?? {}) as { readonly quizId?: string; readonly packageId?: string }
    const id = (packageId ?? quizId)?.trim()
    if (!id) continue
    const kind = packageId === undefined ? 'quiz' : 'package'
    const found = ids.get(`${kind} ${id}`)
    if (found !== undefined) found.rows.push(row)
    else if (ids.size < MOST_IDS) ids.set(`${kind} ${id}`, { kind, id, rows: [row] })
  }
  return [...ids.values()]
}
