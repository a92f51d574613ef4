import type { CampaignPlan, CampaignRow, PlannedRow } from '../../src/campaign/index.ts'
import type { CertifyClient } from '../../src/index.ts'
import type { CallbackFlags } from '../callbacks/callback-urls.ts'
import { codeOf } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { addressWarning } from '../invites/doubtful-address.ts'
import { isEmpty, type OpenSender, refuseOtherAccounts } from '../ledger/open-ledger.ts'
import { Catalogue, type Kind, targetOf } from '../invites/titles.ts'
import { nearest } from '../spelling.ts'
import type { RowOptions } from './columns.ts'
import type { OutputOptions, Outputs } from './outputs.ts'
import type { CandidateFile } from './read.ts'

export interface BulkOptions extends RowOptions, OutputOptions, CallbackFlags {
  readonly skipInvalid?: boolean
  readonly ifExpired?: 'skip' | 'invite' | undefined
  readonly concurrency?: number
  /** Requests per second. */
  readonly rate?: number
  readonly maxFailures?: number
  /** In milliseconds. */
  readonly maxOutage?: number
  readonly allowClockSkew?: boolean
}

/** The questions of one run. */
export interface Guide {
  /** Whether the file was a question too: then what has a default is one as well. */
  readonly isWhole: boolean
  /** The texts of the questions so far: each is asked once. */
  readonly answered: ReadonlySet<string>
  /** The command that does the same without questions, if there were any. */
  readonly command: string | undefined
}

/** A plan, and what else a person should know before it is sent. */
export interface BulkPlan {
  readonly plan: CampaignPlan
  /** What the service lists, or the code of the failure if it did not respond. */
  readonly listed: Catalogue | string
  readonly unlisted: readonly UnlistedId[]
  /** Addresses that may be mistyped, by what is wrong with them. */
  readonly doubts: ReadonlyMap<string, readonly number[]>
  /** Whether the ledger has nothing for the account: then no candidate is recognised. */
  readonly isLedgerEmpty: boolean
}

/** An identifier in the rows that the service does not list. */
export interface UnlistedId {
  readonly kind: Kind
  readonly id: string
  readonly rows: readonly number[]
  /** A similar one that is listed. */
  readonly near: string | undefined
  /** Whether it is listed as the other kind: a quiz as a package, or a package as a quiz. */
  readonly isOtherKind: boolean
}

/** Shared by the steps of a run. */
export interface Run {
  readonly context: Context
  readonly sender: OpenSender
  readonly candidates: CandidateFile
  readonly bulk: BulkPlan
  readonly outputs: Outputs
  readonly options: BulkOptions
  readonly campaign: string
  /** How many creates were tried. */
  readonly creates: { readonly tried: number }
  readonly guide: Guide | undefined
}

/** Plans rows. Creates no invite. @throws CliError, CertifyError, also UNAUTHENTICATED: a wrong key stops it here */
export async function planRows(
  sender: OpenSender,
  rows: Iterable<CampaignRow>,
  options: Pick<BulkOptions, 'ifExpired'> & { readonly campaign: string; readonly signal: AbortSignal },
): Promise<BulkPlan> {
  const { planCampaign } = await import('../../src/campaign/index.ts')
  const listed = await listTracks(sender.client, options.signal)
  const plan = await planCampaign(withIds(rows, listed), { client: sender.client, ...options })
  const planned = plan.rows.filter(({ status }) => status === 'planned')
  await refuseOtherAccounts(
    sender,
    planned.map(({ input }) => input?.candidate.email ?? ''),
  )
  const doubts = new Map<string, number[]>()
  for (const { input, row } of planned) {
    const doubt = addressWarning(input?.candidate.email ?? '')
    if (doubt !== undefined) doubts.set(doubt, [...(doubts.get(doubt) ?? []), row])
  }
  const unlisted = typeof listed === 'string' ? [] : unlistedIn(plan.rows, listed)
  return { plan, listed, unlisted, doubts, isLedgerEmpty: await isEmpty(sender.ledger, sender.scope) }
}

/* A plan is possible without the list. */
export async function listTracks(client: CertifyClient, signal: AbortSignal): Promise<BulkPlan['listed']> {
  try {
    return new Catalogue(await client.tracks.list({}, { signal, retry: false }))
  } catch (error) {
    const code = codeOf(error)
    if (code === undefined || code === 'UNAUTHENTICATED' || signal.aborted) throw error
    return code
  }
}

/* Titles become ids. If the list cannot be read, a text is sent as an id. */
function* withIds(rows: Iterable<CampaignRow>, listed: BulkPlan['listed']): Generator<CampaignRow> {
  for (const row of rows) yield typeof listed === 'string' ? row : withId(row, listed)
}

/** A row with the id that a title means, or why it means none. */
export function withId<Row extends Pick<CampaignRow, 'input' | 'issues'>>(row: Row, listed: Catalogue): Row {
  const input = row.input as Parameters<typeof targetOf>[0]
  const { field, kind, id } = targetOf(input)
  const found = listed.idOf(kind, id)
  if ('id' in found) return found.id === id ? row : { ...row, input: { ...input, [field]: found.id } }
  return { ...row, issues: [...(row.issues ?? []), { path: field, rule: found.rule }] }
}

function unlistedIn(rows: readonly PlannedRow[], listed: Catalogue): readonly UnlistedId[] {
  const found = new Map<string, UnlistedId & { readonly rows: number[] }>()
  for (const { input, row, status } of rows) {
    const { kind, ...target } = targetOf(input ?? {})
    const id = target.id.trim()
    if (id === '' || status === 'rejected' || listed.get(kind, id) !== undefined) continue
    const known = found.get(`${kind} ${id}`)
    if (known !== undefined) known.rows.push(row)
    else if (found.size < MAX_IDS) {
      const isOtherKind = listed.get(kind === 'quiz' ? 'package' : 'quiz', id) !== undefined
      const near = isOtherKind ? undefined : nearest(id, listed.idsOf(kind), ALIKE)
      found.set(`${kind} ${id}`, { kind, id, rows: [row], near, isOtherKind })
    }
  }
  return [...found.values()]
}

/* The identifiers of a catalogue resemble each other. */
const ALIKE = 0.2
const MAX_IDS = 1000
