import * as z from 'zod'
import type { CampaignPlan, CampaignRow, PlannedRow } from '../../src/campaign/index.ts'
import type { Issue } from '../../src/index.ts'
import { type BulkPlan, planRows } from '../bulk/plan.ts'
import { CliError } from '../cli-error.ts'
import { doubtIn } from '../invites/doubtful-address.ts'
import type { OpenSender } from '../ledger/open-ledger.ts'
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

/** What a person confirms. */
export interface Outline {
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
  readonly problems?: readonly string[] | undefined
}

/** Plans invites as `certify bulk` does. Nothing is sent. @throws CliError PLAN_TOO_LARGE or ACCOUNT_DIFFERS, CertifyError */
export async function planWanted(
  sender: OpenSender,
  wanted: readonly Wanted[],
  { mostInvites, service, signal }: { mostInvites: number; service: string; signal: AbortSignal },
): Promise<{ readonly outline: Outline; readonly facts: string; readonly plan: CampaignPlan }> {
  const { plan, listed } = await planRows(sender, wanted.map(rowOf), { campaign: 'mcp', signal })
  const rows = plan.rows.map((row, index) => outlineOf(row, wanted[index] ?? { email: '' }, listed))
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
  const outline = { service, account: sender.scope.account, ledger: sender.place.path.value, rows }
  /* A package may be listed with other quizzes under the same name. */
  const quizIds = rows.map(({ packageId = '' }) =>
    typeof listed === 'string' ? [] : listed.get('package', packageId)?.quizIds,
  )
  return { outline, facts: JSON.stringify([outline, quizIds]), plan }
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
  const known = typeof listed === 'string' ? undefined : listed
  const { title, quizIds } = known?.get(packageId === undefined ? 'quiz' : 'package', packageId ?? quizId ?? '') ?? {}
  const isPlanned = status === 'planned'
  const doubt = isPlanned ? doubtIn(wanted.email) : undefined
  const problems = [
    ...issues.map(issueText),
    ...(isPlanned && known !== undefined && title === undefined ? ['the service does not list this quizId'] : []),
    ...(doubt === undefined ? [] : [`check the address: ${doubt}`]),
  ]
  return {
    ...wanted,
    quizId,
    packageId,
    row,
    status: status === 'rejected' ? 'invalid' : status,
    title,
    invites: packageId === undefined ? undefined : quizIds?.length,
    problems: problems.length > 0 ? problems : undefined,
  }
}

/** A problem of an input, with the name of its field as the tools have it. */
export function issueText({ path, rule }: Issue): string {
  return `${path.replace(/^candidate\./, '')} ${rule}`
}

/** The question to the person: everything that the agent chose, as it is sent. */
export function questionOf({ service, account, rows }: Outline): string {
  const planned = rows.filter(({ status }) => status === 'planned')
  const lines = planned.map((row) => {
    const { email, name, quizId, packageId, title, invites, externalReference, sendEmail, problems = [] } = row
    const id = quizId ?? packageId
    const parts = [
      title === undefined ? id : `${title} (${id})`,
      ...(invites === undefined ? [] : [`${invites} invites`]),
      ...(externalReference === undefined ? [] : [`external reference ${externalReference}`]),
      sendEmail === false ? 'without e-mail' : 'with e-mail',
      ...problems,
    ]
    return `- ${name === undefined ? email : `${name} <${email}>`}: ${parts.join(', ')}`
  })
  return `Send these invites through ${service}, account ${account}? certify cannot cancel them.\n${lines.join('\n')}`
}
