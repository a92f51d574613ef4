import type { CampaignRow, PlannedRow, PlannedStatus } from '../../src/campaign/index.ts'
import type { CertifyClient, Issue } from '../../src/index.ts'
import type { LedgerEntry } from '../../src/ledger/index.ts'
import { textFault } from '../bulk/read/text-fault.ts'
import { callbackHost } from '../callbacks/callback-urls.ts'
import { CliError } from '../cli-error.ts'
import { doubtIn } from '../invites/doubtful-address.ts'
import { checkAccount } from '../ledger/check-account.ts'
import { type InviteRow, inviteRowsOf } from '../ledger/invite-row.ts'
import type { OpenLedger } from '../ledger/open-ledger.ts'
import { DO_NOT_SEND_AGAIN } from './failure.ts'
import { type Listed, readListed } from './listed.ts'
import { inputOf, type Planned, type PlannedInvite, type WantedInvite } from './plan.ts'
import { placeOf, type Session } from './session.ts'

/** Plans invites. Nothing is sent. @throws CliError PLAN_TOO_LARGE, CertifyError as `planCampaign` */
export async function planInvites(
  session: Session,
  opened: OpenLedger,
  wanted: readonly WantedInvite[],
  signal: AbortSignal,
): Promise<Planned> {
  const { context, flags } = session
  const emails = [...new Set(wanted.map(({ email }) => email))]
  const accountWarning = await checkAccount(context, placeOf(session), opened, emails)
  const client = await context.client('read')
  const listed = await readListed(client, signal)
  const given = wanted.map((each) => campaignRow(each, listed))
  const decided = await decide(client, opened, given, signal)
  const rows = wanted.flatMap((each, index) => (decided[index] ? [plannedInvite(each, decided[index], listed)] : []))
  refuseLargePlan(rows, flags.maxInvites)
  const { ledger, account, world } = opened
  const scope = { baseUrl: client.endpoint, account, world }
  const first = await ledger.list(scope)[Symbol.asyncIterator]().next()
  const inLedger: (readonly InviteRow[])[] = []
  for (const row of rows) {
    const entries = await entriesFor(opened, scope, row, listed)
    inLedger.push(entries.flatMap((entry) => inviteRowsOf(entry, flags.showLinks ?? false)))
  }
  return {
    service: context.connection().baseUrl.value ?? '',
    account,
    ledger: placeOf(session).path.value,
    callbackHost: callbackHost(context, flags) ?? null,
    rows,
    inLedger,
    isLedgerEmpty: first.done === true,
    accountWarning,
  }
}

async function decide(
  client: CertifyClient,
  opened: OpenLedger,
  given: readonly CampaignRow[],
  signal: AbortSignal,
): Promise<readonly PlannedRow[]> {
  const { planCampaign } = await import('../../src/campaign/index.ts')
  return (await planCampaign(given, { client, ...opened, signal })).rows
}

function campaignRow(wanted: WantedInvite, listed: Listed): CampaignRow {
  return { input: inputOf(wanted), issues: [...targetIssues(wanted, listed), ...textIssues(wanted)] }
}

/* --max-invites limits invites, and a package has as many as its skills. */
function targetIssues({ quizId, packageId }: WantedInvite, listed: Listed): readonly Issue[] {
  if ((quizId === null) === (packageId === null)) {
    return [{ path: 'quizId', rule: 'or packageId has to be given, and only one of them' }]
  }
  if (packageId === null || listed.packages.has(packageId.trim())) return []
  const why = listed.isForbidden ? 'this key may not list packages' : 'the service does not list it now'
  return [{ path: 'packageId', rule: `cannot be planned: ${why}, so it is unknown how many invites it creates` }]
}

/* As in a file of bulk: the person sees exactly what is sent. */
function textIssues({ name, quizId, packageId, externalReference }: WantedInvite): readonly Issue[] {
  return Object.entries({ name, quizId, packageId, externalReference }).flatMap(([path, text]) => {
    const rule = textFault(text ?? '')
    return rule === undefined ? [] : [{ path: path === 'name' ? 'candidate.name' : path, rule }]
  })
}

function plannedInvite(
  wanted: WantedInvite,
  { status, issues, duplicateOf, row }: PlannedRow,
  listed: Listed,
): PlannedInvite {
  const { quizId, packageId } = wanted
  const pack = packageId === null ? undefined : listed.packages.get(packageId.trim())
  const doubt = status === 'planned' ? doubtIn(wanted.email) : undefined
  const title = packageId === null ? listed.quizzes.get(quizId?.trim() ?? '') : pack?.title
  return {
    ...wanted,
    number: row,
    status,
    meaning: MEANINGS[status],
    title: title ?? null,
    isListed: listed.isForbidden ? null : title !== undefined,
    invites: packageId === null ? 1 : (pack?.quizIds.length ?? null),
    problems: [
      ...issues.map(({ path, rule }) => `${path.replace('candidate.', '')} ${rule}`),
      ...(doubt === undefined ? [] : [`email: look at it again: ${doubt}`]),
    ],
    duplicateOf: duplicateOf ?? null,
  }
}

const MEANINGS: Readonly<Record<PlannedStatus, string>> = {
  planned: 'It will be sent when the plan is created.',
  already_invited: 'The ledger has an open invite for it. It will not be sent.',
  partly_invited:
    'The candidate has an open invite, or an earlier row, for some quizzes of this package. It will not be sent. Plan the ' +
    'missing quizzes as single invites.',
  duplicate: 'An earlier row has the same candidate and quiz. It will not be sent.',
  rejected: 'It is not valid. It will not be sent.',
  unknown: `An earlier request may have created it. It will not be sent. ${DO_NOT_SEND_AGAIN}`,
}

function refuseLargePlan(rows: readonly PlannedInvite[], most: number): void {
  const count = rows.reduce((sum, { status, invites }) => sum + (status === 'planned' ? (invites ?? 0) : 0), 0)
  if (count <= most) return
  const hint =
    'Plan fewer at a time. A package counts with each of its skills. A person may start the server with --max-invites.'
  throw new CliError(`this plan would create ${count} invites; the most is ${most}. Nothing was planned.`, hint, {
    code: 'PLAN_TOO_LARGE',
  })
}

/* The entries of the candidate for the quiz, or for the package and its quizzes. */
async function entriesFor(
  { ledger }: OpenLedger,
  scope: { readonly baseUrl: string; readonly account: string; readonly world: string },
  { email, quizId, packageId }: PlannedInvite,
  listed: Listed,
): Promise<readonly LedgerEntry[]> {
  const quizIds = packageId === null ? [quizId ?? ''] : (listed.packages.get(packageId.trim())?.quizIds ?? [])
  const subjects = [...(packageId === null ? [] : [{ packageId }]), ...quizIds.map((each) => ({ quizId: each }))]
  const found = new Map<string, LedgerEntry>()
  for (const subject of subjects) {
    for await (const entry of ledger.list({ ...scope, email, ...subject })) found.set(entry.reference, entry)
  }
  return [...found.values()].toSorted((one, other) => other.sentAt.localeCompare(one.sentAt)).slice(0, MOST_ENTRIES)
}

const MOST_ENTRIES = 10
