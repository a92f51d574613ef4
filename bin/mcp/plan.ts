import { domainToASCII, domainToUnicode } from 'node:url'
import * as z from 'zod'
import type { CampaignPlan, CampaignRow, PlannedRow } from '../../src/campaign/index.ts'
import type { Issue } from '../../src/index.ts'
import { type BulkPlan, planRows } from '../bulk/plan.ts'
import { CliError } from '../cli-error.ts'
import { addressWarning, nameWarning } from '../invites/doubtful-address.ts'
import { targetOf } from '../invites/titles.ts'
import type { OpenSender } from '../ledger/open-ledger.ts'
import { quoted } from '../terminal/text.ts'
import { textFault } from '../text-fault.ts'

const optionalText = z.string().optional()

/** The input of one invite. */
export const INVITE = z.strictObject({
  email: z.string(),
  name: optionalText,
  quizId: optionalText.describe('A single invite. Not with packageId.'),
  packageId: optionalText.describe('An invite to each skill of a package.'),
  sendEmail: z.boolean().optional().describe('Whether the service e-mails the candidate. Default: true.'),
  externalReference: optionalText.describe('Your own reference. Only with quizId.'),
})

/** One invite that an agent asks for. */
export type Wanted = z.output<typeof INVITE>

/** What a person confirms, and what is sent: the same rows. */
export interface Plan {
  readonly service: string
  readonly account: string
  readonly ledger: string
  readonly rows: readonly OutlinedRow[]
}

interface OutlinedRow extends Wanted {
  readonly row: number
  readonly status: string
  /** The name of the skill or the package, if the service lists it. */
  readonly title?: string | undefined
  /** How many invites it creates: a package has one for each of its skills. */
  readonly invites?: number | undefined
  /** The quizzes of a package: it may be listed with other ones later, under the same name. */
  readonly quizIds?: readonly string[] | undefined
  readonly problems?: readonly string[] | undefined
}

/** Plans invites as `certify bulk` does. Nothing is sent. @throws CliError PLAN_TOO_LARGE or ACCOUNT_DIFFERS, CertifyError */
export async function planWanted(
  sender: OpenSender,
  wanted: readonly Wanted[],
  { mostInvites, service, signal }: { mostInvites: number; service: string; signal: AbortSignal },
): Promise<{ readonly plan: Plan; readonly campaign: CampaignPlan }> {
  const { plan: campaign, listed } = await planRows(sender, wanted.map(rowOf), { campaign: 'mcp', signal })
  const rows = campaign.rows.map((row, index) => outlineOf(row, wanted[index] ?? { email: '' }, listed))
  let count = 0
  for (const { status, packageId, invites } of rows) {
    if (status !== 'planned') continue
    /* The number of its invites is unknown, so no limit could be enforced. */
    if (packageId !== undefined && invites === undefined) {
      throw tooLarge('the service does not list a package of this plan for this key, so its invites cannot be counted.')
    }
    count += invites ?? 1
  }
  if (count > mostInvites) throw tooLarge(`this plan would create ${count} invites; the most is ${mostInvites}.`)
  return { plan: { service, account: sender.scope.account, ledger: sender.place.path.value, rows }, campaign }
}

/** What is sent for the rows of a plan. */
export function wantedIn({ rows }: Plan): readonly Wanted[] {
  return rows.map((row) => z.object(INVITE.shape).parse(row))
}

function tooLarge(message: string): CliError {
  const hint =
    'Plan fewer at a time; a package counts with each of its skills. A person may start the server with --max-invites.'
  return new CliError(`${message} Nothing was planned.`, hint, { code: 'PLAN_TOO_LARGE' })
}

/* A person must see exactly what is sent, so text with invisible characters is refused. */
function rowOf({ email, name, quizId, packageId, sendEmail, externalReference }: Wanted): CampaignRow {
  const issues: Issue[] = []
  if ((quizId === undefined) === (packageId === undefined)) {
    issues.push({ path: 'quizId', rule: 'or packageId is required, and not both' })
  }
  const texts = { 'candidate.email': email, 'candidate.name': name, quizId, packageId, externalReference }
  for (const [path, text = ''] of Object.entries(texts)) {
    const rule = textFault(text)
    if (rule !== undefined) issues.push({ path, rule })
  }
  const input = {
    ...(packageId === undefined ? { quizId } : { packageId }),
    candidate: { email, ...(name !== undefined && { name }) },
    ...(sendEmail === false && { sendInviteEmail: false }),
    ...(externalReference !== undefined && { externalReference }),
  }
  return { input, issues }
}

function outlineOf(
  { row, status, issues, input }: PlannedRow,
  wanted: Wanted,
  listed: BulkPlan['listed'],
): OutlinedRow {
  const { quizId, packageId } = { ...wanted, ...(input as Pick<Wanted, 'quizId' | 'packageId'>) }
  const { kind, id } = targetOf({ quizId, packageId })
  const known = typeof listed === 'string' ? undefined : listed
  const { title, quizIds } = known?.get(kind, id) ?? {}
  const isPlanned = status === 'planned'
  const doubt = isPlanned ? addressWarning(wanted.email) : undefined
  const nameDoubt = isPlanned ? nameWarning(wanted.name ?? '') : undefined
  const problems = [
    ...issues.map(issueText),
    ...(isPlanned && known !== undefined && title === undefined ? ['the service does not list this quizId'] : []),
    ...(doubt === undefined ? [] : [`check the address: ${doubt}`]),
    ...(nameDoubt === undefined ? [] : [`check the name: ${nameDoubt}`]),
  ]
  return {
    ...wanted,
    quizId,
    packageId,
    row,
    status: status === 'rejected' ? 'invalid' : status,
    title,
    invites: quizIds?.length,
    quizIds,
    problems: problems.length > 0 ? problems : undefined,
  }
}

/** A problem of an input, with the name of its field as the tools have it. */
export function issueText({ path, rule }: Issue): string {
  return `${path.replace(/^candidate\./, '')} ${rule}`
}

/** The question to the person: everything that is sent. What others chose cannot look like a part of the question. */
export function questionOf({ service, account, rows }: Plan): string {
  const planned = rows.filter(({ status }) => status === 'planned')
  const lines = planned.map((row) => {
    const { email, name, quizId, packageId, title, invites, externalReference, sendEmail, problems = [] } = row
    const id = idText(quizId ?? packageId ?? '')
    const parts = [
      title === undefined ? id : `${quoted(title)} (${id})`,
      ...(invites === undefined ? [] : [`${invites} invites`]),
      ...(externalReference === undefined ? [] : [`external reference ${quoted(externalReference)}`]),
      sendEmail === false ? 'without e-mail' : 'with e-mail',
      ...problems,
    ]
    return `- to ${addressText(email)}${name === undefined ? '' : `, name ${quoted(name)}`}: ${parts.join(', ')}`
  })
  return `Send these invites through ${service}, account ${account}? certify cannot cancel them.\n${lines.join('\n')}`
}

function idText(id: string): string {
  return /^[\w.:-]{1,100}$/.test(id) ? id : quoted(id)
}

/* An internationalised domain may look like another one: it is shown as it is looked up, too. */
function addressText(email: string): string {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
  const ascii = domainToASCII(domain)
  const other = ascii === domain ? domainToUnicode(domain) : ascii
  const address = /^[!-~]+$/.test(email) ? email : quoted(email)
  return other === domain ? address : `${address} (its domain is ${other === ascii ? other : quoted(other)})`
}
