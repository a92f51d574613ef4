import { type Command, Option } from 'commander'
import type { Ledger, LedgerFilter, LedgerRecord } from '../../src/ledger/index.ts'
import { readService, shownAddress } from '../config/connection.ts'
import { isLoopback } from '../../src/util/index.ts'
import { momentOf, once } from '../flags.ts'
import type { Context } from '../context.ts'
import { type InviteRow, inviteRowsOf, LISTED_STATES } from './invite-row.ts'
import { CliError } from '../cli-error.ts'
import type { LedgerPlace } from '../config/ledger-place.ts'

/** For --state: `open` are invites without a result. */
export const STATES = [...LISTED_STATES, 'open'] as const

/** The options that choose invites. */
export interface FilterFlags extends Pick<LedgerFilter, 'search' | 'email' | 'quizId' | 'campaign'> {
  readonly state?: (typeof STATES)[number] | undefined
  readonly since?: ((now: number) => number) | undefined
  readonly all?: boolean
}

export function addFilterOptions(command: Command): Command {
  return command
    .option('--search <text>', 'with this in a name, e-mail, title, id or campaign', once)
    .option('--email <address>', 'of this candidate', once)
    .option('--quiz-id <quiz-id>', 'to this quiz, also as part of a package', once)
    .addOption(new Option('--state <state>', 'in this state, or with this result (open: none yet)').choices(STATES))
    .option('--since <when>', 'sent since: 7d, or a date or time in ISO 8601', momentOf)
    .option('--campaign <name>', 'of this campaign: the file name of certify bulk', once)
    .option('--all', 'of every service and account in the ledger')
}

/** Which records, and which of their invites, the options choose. */
export function readFilter({ search, email, quizId, campaign, state, since }: FilterFlags, now: number) {
  const result = state === 'passed' || state === 'failed' ? state : undefined
  const sendState = state === 'open' ? 'created' : state === 'passed' || state === 'failed' ? undefined : state
  const filter: LedgerFilter = {
    search,
    email,
    quizId,
    campaign,
    state: sendState,
    result,
    since: since && new Date(since(now)),
  }
  const includes = (row: InviteRow) =>
    (quizId === undefined || row.quizId === null || row.quizId.trim() === quizId.trim()) &&
    (sendState === undefined || row.state === sendState) &&
    (result === undefined || row.result === result) &&
    (state !== 'open' || row.result === null)
  return { filter, includes }
}

export type ScopeFilter = Pick<LedgerFilter, 'baseUrl' | 'account'>

/**
 * What to list: the account, or at an address of this machine what was created there. The description is empty if it is
 * everything in the ledger.
 */
export function listedScope({ io, program, place }: Pick<Context, 'io' | 'program' | 'place'>, all = false) {
  const { account } = place()
  const baseUrl = all ? undefined : readService(io, program.root).baseUrl.value
  const isNamed = account.origin === '--account' || (account.origin !== 'default' && !all)
  const isHere = baseUrl !== undefined && isLocal(baseUrl)
  const isOfAccount = isNamed || (!all && !isHere)
  const filter: ScopeFilter = {
    ...(isHere && { baseUrl }),
    ...(isOfAccount && { account: account.value }),
  }
  /* What was created in a sandbox on this machine is not of the service. */
  const isListed = (record: LedgerRecord) => all || isHere || baseUrl === undefined || !isLocal(record.baseUrl)
  const parts = [...(isHere ? [shownAddress(baseUrl)] : []), ...(isOfAccount ? [`account ${account.value}`] : [])]
  return { filter, isListed, description: parts.join(', ') }
}

function isLocal(url: string): boolean {
  return URL.canParse(url) && isLoopback(new URL(url))
}

/** The creates of this invite or candidate, newest first; else the create with this reference. */
export async function recordsOf(ledger: Ledger, id: string): Promise<readonly LedgerRecord[]> {
  const found: LedgerRecord[] = []
  for await (const record of ledger.list(isAddress(id) ? { email: id } : { inviteId: id })) found.push(record)
  if (found.length > 0) return found
  const sent = await ledger.find(id)
  return sent === undefined ? [] : [sent]
}

export function isAddress(id: string): boolean {
  return id.includes('@')
}

/** The row that an id names: its invite or follow-up. A reference stands for its only invite. @throws CliError */
export function rowNamed(id: string, record: LedgerRecord, showLinks: boolean, place: LedgerPlace): InviteRow {
  const rows = inviteRowsOf(record, showLinks)
  const row = rows.find(({ inviteId }) => inviteId === id) ?? (record.invites.length > 1 ? undefined : rows[0])
  if (row !== undefined) return row
  throw new CliError(
    `that create made ${record.invites.length} invites: ${record.invites.map(({ inviteId }) => inviteId).join(', ')}.`,
    `Name one of them, as \`certify invites list --all${place.flags}\` shows it.`,
  )
}
