import * as z from 'zod'
import type { CampaignPlan, CampaignRow, PlannedRow } from '../../src/campaign/index.ts'
import type { Issue } from '../../src/index.ts'
import { CliError, codeOf } from '../cli-error.ts'
import { doubtIn } from '../invites/doubtful-address.ts'
import type { OpenSender } from '../ledger/open-ledger.ts'
import { refuseOtherAccounts } from '../ledger/other-account.ts'
import { textFault } from '../table/text-fault.ts'
import { printable } from '../terminal/printable.ts'
import { issueText } from './session.ts'

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

/** What a person confirms. Two equal outlines mean that nothing has changed. */
export interface Outline {
  readonly service: string
  readonly account: string
  readonly ledger: string
  readonly rows: readonly OutlinedRow[]
}

/** A row of a plan; a field that says nothing is left out. */
export interface OutlinedRow extends Wanted {
  readonly row: number
  readonly status: string
  /** The name of the skill or the package, if the service lists it. */
  readonly title?: string | undefined
  /** How many invites it creates: a package has one for each of its skills. */
  readonly invites?: number | undefined
  readonly problems?: readonly string[] | undefined
}

/** A plan that can be sent while its ledger is open. */
export interface Planned {
  readonly outline: Outline
  readonly campaign: CampaignPlan
}

interface PlanLimits {
  readonly mostInvites: number
  readonly service: string
  readonly signal: AbortSignal
}

/** Plans invites as a campaign. Nothing is sent. @throws CliError PLAN_TOO_LARGE or ACCOUNT_DIFFERS, CertifyError */
export async function planWanted(
  sender: OpenSender,
  wanted: readonly Wanted[],
  { mostInvites, service, signal }: PlanLimits,
): Promise<Planned> {
  const { planCampaign } = await import('../../src/campaign/index.ts')
  const { client, scope, place } = sender
  const listed = await readListed(sender, signal)
  const asked = wanted.map((each) => rowOf(each, listed))
  const campaign = await planCampaign(asked, { client, campaign: 'mcp', signal })
  const planned = campaign.rows.filter(({ status }) => status === 'planned')
  await refuseOtherAccounts(
    sender,
    planned.map(({ input }) => input?.candidate.email ?? ''),
  )
  const rows = campaign.rows.map((row, index) => outlineOf(row, wanted[index] ?? { email: '' }, listed))
  const count = rows.reduce((sum, { status, invites = 1 }) => sum + (status === 'planned' ? invites : 0), 0)
  if (count > mostInvites) {
    throw new CliError(
      `this plan would create ${count} invites; the most is ${mostInvites}. Nothing was planned.`,
      'Plan fewer at a time. A package counts with each of its skills. A person may start the server with --max-invites.',
      { code: 'PLAN_TOO_LARGE' },
    )
  }
  return { outline: { service, account: scope.account, ledger: place.path.value, rows }, campaign }
}

/* What the service lists, by id; a package with the number of its skills. */
interface Listed {
  readonly quizzes: ReadonlyMap<string, string>
  readonly packages: ReadonlyMap<string, { readonly title: string; readonly invites: number }>
}

/* `undefined` if this key may not list. */
async function readListed({ client }: OpenSender, signal: AbortSignal): Promise<Listed | undefined> {
  try {
    const packages = (await client.tracks.list({}, { signal })).flatMap((track) => track.packages)
    const skills = packages.flatMap((each) => each.skills)
    return {
      quizzes: new Map(skills.map(({ quizId, skillName, level }) => [quizId.trim(), titleOf(skillName, level)])),
      packages: new Map(
        packages.map((each) => [
          each.id.trim(),
          { title: titleOf(each.name, each.level), invites: each.skills.length },
        ]),
      ),
    }
  } catch (error) {
    if (codeOf(error) !== 'FORBIDDEN') throw error
    return undefined
  }
}

/* The service must not put lines into the question to the person. */
function titleOf(name: string | null, level: string | null): string {
  return printable(`${name ?? '-'}${level === null ? '' : ` (${level})`}`)
}

/* A person must see exactly what is sent, so no text may hide anything. */
function rowOf(wanted: Wanted, listed: Listed | undefined): CampaignRow {
  const { email, name, quizId, packageId, sendEmail, externalReference } = wanted
  const issues: Issue[] = []
  if ((quizId === undefined) === (packageId === undefined)) {
    issues.push({ path: 'quizId', rule: 'or packageId is required, and not both' })
  }
  if (packageId !== undefined && listed?.packages.has(packageId.trim()) !== true) {
    const rule = 'is not listed by the service for this key, so the number of its invites is unknown'
    issues.push({ path: 'packageId', rule })
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

function outlineOf({ row, status, issues }: PlannedRow, wanted: Wanted, listed: Listed | undefined): OutlinedRow {
  const { email, quizId = '', packageId = '' } = wanted
  const pack = listed?.packages.get(packageId.trim())
  const title = pack?.title ?? listed?.quizzes.get(quizId.trim())
  const doubt = status === 'planned' ? doubtIn(email) : undefined
  const problems = [
    ...issues.map(issueText),
    ...(status === 'planned' && listed !== undefined && title === undefined
      ? ['the service does not list this quizId']
      : []),
    ...(doubt === undefined ? [] : [`check the address: ${doubt}`]),
  ]
  return {
    ...wanted,
    row,
    status: status === 'rejected' ? 'invalid' : status,
    title,
    invites: pack?.invites,
    problems: problems.length > 0 ? problems : undefined,
  }
}

/** The question to the person: everything that the agent chose, as it is sent. */
export function questionOf({ service, account, rows }: Outline): string {
  const lines = rows.flatMap((row) => {
    if (row.status !== 'planned') return []
    const { email, name, quizId, packageId, title, invites, externalReference, sendEmail, problems = [] } = row
    const parts = [
      title === undefined ? (quizId ?? packageId) : `${title} (${quizId ?? packageId})`,
      ...(invites === undefined ? [] : [`${invites} invites`]),
      ...(externalReference === undefined ? [] : [`external reference ${externalReference}`]),
      sendEmail === false ? 'without e-mail' : 'with e-mail',
      ...problems,
    ]
    return [`- ${name === undefined ? email : `${name} <${email}>`}: ${parts.join(', ')}`]
  })
  return `Send these invites through ${service}, account ${account}? certify cannot cancel them.\n${lines.join('\n')}`
}
