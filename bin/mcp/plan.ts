import { randomUUID } from 'node:crypto'
import type { CampaignPlan, CampaignRow, PlannedRow } from '../../src/campaign/index.ts'
import type { Issue } from '../../src/index.ts'
import { planRows } from '../bulk/plan.ts'
import { faultsOf } from '../bulk/read.ts'
import { CliError, codeOf } from '../cli-error.ts'
import { doubtIn } from '../invites/doubtful-address.ts'
import type { OpenSender } from '../ledger/open-ledger.ts'
import { textFault } from '../table/text-fault.ts'

/** One invite that an agent asks for. */
export interface Wanted {
  readonly email: string
  readonly name?: string | undefined
  readonly quizId?: string | undefined
  readonly packageId?: string | undefined
  readonly sendEmail?: boolean | undefined
  readonly externalReference?: string | undefined
}

/** What a person confirms. Two equal outlines mean that nothing has changed. */
export interface Outline {
  readonly service: string
  readonly account: string
  readonly ledger: string
  readonly rows: readonly OutlinedRow[]
}

/** A row of a plan; a field that says nothing is left out. */
export interface OutlinedRow extends Wanted {
  readonly number: number
  readonly status: string
  /** The name of the skill or the package, if the service lists it. */
  readonly title?: string | undefined
  /** How many invites it creates: a package has one for each of its skills. */
  readonly invites?: number | undefined
  readonly problems?: readonly string[] | undefined
}

export interface Plan extends Outline {
  readonly id: string
  readonly wanted: readonly Wanted[]
}

/** A plan that can be sent while its ledger is open. */
export interface Planned {
  readonly outline: Outline
  readonly campaign: CampaignPlan
}

/** Plans invites with the engine of certify bulk. Nothing is sent. @throws CliError PLAN_TOO_LARGE, CertifyError */
export async function planWanted(
  sender: OpenSender,
  wanted: readonly Wanted[],
  {
    mostInvites,
    signal,
    service,
  }: { readonly mostInvites: number; readonly signal: AbortSignal; readonly service: string },
): Promise<Planned> {
  const titles = await readTitles(sender, signal)
  const rows = wanted.map((each) => rowOf(each, titles))
  const { plan: campaign } = await planRows(sender, rows, { campaign: 'mcp', signal })
  const outlined = campaign.rows.map((row, index) => outlineOf(row, wanted[index] ?? { email: '' }, titles))
  const count = outlined.reduce((sum, { status, invites = 1 }) => sum + (status === 'planned' ? invites : 0), 0)
  if (count > mostInvites) {
    throw new CliError(
      `this plan would create ${count} invites; the most is ${mostInvites}. Nothing was planned.`,
      'Plan fewer at a time. A package counts with each of its skills. A person may start the server with --max-invites.',
      { code: 'PLAN_TOO_LARGE' },
    )
  }
  const { account } = sender.scope
  return { outline: { service, account, ledger: sender.place.path.value, rows: outlined }, campaign }
}

export function newPlan({ outline }: Planned, wanted: readonly Wanted[]): Plan {
  return { id: `plan_${randomUUID()}`, wanted, ...outline }
}

/** Whether the same plan would be made now. */
export function isUnchanged({ id: _id, wanted: _wanted, ...outline }: Plan, now: Planned): boolean {
  return JSON.stringify(outline) === JSON.stringify(now.outline)
}

interface Titles {
  readonly quizzes: ReadonlyMap<string, string>
  readonly packages: ReadonlyMap<string, { readonly title: string; readonly invites: number }>
}

/* The names that a plan shows; none if this key may not list them. */
async function readTitles({ client }: OpenSender, signal: AbortSignal): Promise<Titles> {
  try {
    const packages = (await client.tracks.list({}, { signal })).flatMap((track) => track.packages)
    const skills = packages.flatMap((each) => each.skills)
    const title = (name: string | null, level: string | null) => `${name ?? '-'}${level === null ? '' : ` (${level})`}`
    return {
      quizzes: new Map(skills.map(({ quizId, skillName, level }) => [quizId.trim(), title(skillName, level)])),
      packages: new Map(
        packages.map((each) => [each.id.trim(), { title: title(each.name, each.level), invites: each.skills.length }]),
      ),
    }
  } catch (error) {
    if (codeOf(error) !== 'FORBIDDEN') throw error
    return { quizzes: new Map(), packages: new Map() }
  }
}

/* As in a file of bulk: the person sees exactly what is sent, so nothing may hide in it. */
function rowOf(
  { email, name, quizId, packageId, sendEmail, externalReference }: Wanted,
  { packages }: Titles,
): CampaignRow {
  const issues: Issue[] = []
  if ((quizId === undefined) === (packageId === undefined)) {
    issues.push({ path: 'quizId', rule: 'or package_id has to be given, and only one of them' })
  }
  if (packageId !== undefined && !packages.has(packageId.trim())) {
    issues.push({
      path: 'packageId',
      rule: 'is not listed by the service, so it is unknown how many invites it creates',
    })
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

function outlineOf({ row, status, issues }: PlannedRow, wanted: Wanted, { quizzes, packages }: Titles): OutlinedRow {
  const { quizId = '', packageId } = wanted
  const pack = packageId === undefined ? undefined : packages.get(packageId.trim())
  const doubt = status === 'planned' ? doubtIn(wanted.email) : undefined
  const problems = [
    ...(issues.length > 0 ? [faultsOf(issues)] : []),
    ...(doubt === undefined ? [] : [`look at the address again: ${doubt}`]),
  ]
  return {
    ...wanted,
    number: row,
    status: status === 'rejected' ? 'invalid' : status,
    title: pack?.title ?? quizzes.get(quizId.trim()),
    invites: pack?.invites,
    problems: problems.length > 0 ? problems : undefined,
  }
}

/** The question to the person: everything that the agent chose, as it is sent. */
export function questionOf({ service, account, rows }: Plan): string {
  const lines = rows.flatMap((row) => {
    if (row.status !== 'planned') return []
    const { email, name, quizId, packageId, title, invites, externalReference, sendEmail, problems = [] } = row
    const parts = [
      `${title ?? 'not listed by the service'} (${quizId ?? packageId})`,
      ...(invites === undefined ? [] : [`${invites} invites`]),
      ...(externalReference === undefined ? [] : [`external reference ${externalReference}`]),
      sendEmail === false ? 'without e-mail' : 'with e-mail',
      ...problems,
    ]
    return [`- ${name === undefined ? email : `${name} <${email}>`}: ${parts.join(', ')}`]
  })
  return `Send these invites through ${service}, account ${account}? certify cannot cancel them.\n${lines.join('\n')}`
}
