import type { CertificationInvite, Package, PackageInvite, Skill, SkillInvite } from '../../src/index.ts'
import type { Fields, Terminal } from '../terminal/output.ts'
import { type Cell, type Column, fieldColumns } from '../terminal/table.ts'

/* What the service left out. */
const ABSENT = '-'

interface Wanted {
  readonly quizId?: string
  readonly email: string
  readonly sendEmail: boolean
}

/** The columns of created invites in a pipe. */
export function createdColumns(isPackage: boolean): readonly Column<CertificationInvite>[] {
  return isPackage ? [...COLUMNS, ...(skillColumns as readonly Column<CertificationInvite>[])] : COLUMNS
}

const COLUMNS: readonly Column<CertificationInvite>[] = fieldColumns({
  'INVITE ID': 'inviteId',
  STATUS: 'status',
  LINK: 'challengeUrl',
  EXPIRES: 'expiresAt',
  'E-MAILED': 'emailSent',
})

/** For a package, more of them. */
export const skillColumns = fieldColumns<SkillInvite>({ 'QUIZ ID': 'quizId', SKILL: 'skillName', LEVEL: 'level' })

/** Describes for a person what was created. */
export function drawInvites(
  created: CertificationInvite | PackageInvite,
  wanted: Wanted,
  isReused: boolean,
  terminal: Terminal,
): string {
  if (!('invites' in created)) {
    const title = isReused ? 'Recorded invite; nothing was sent' : 'Invite created'
    return `${terminal.bold(title)}  ${terminal.dim(wanted.quizId ?? '')}\n${terminal.fields(inviteFields(created, wanted))}`
  }
  const { packageName, packageId, invites } = created
  const what = isReused ? 'recorded invites; nothing was sent' : 'invites created'
  const title = `${terminal.bold(`${shown(packageName)}: ${invites.length} ${what}`)}  ${terminal.dim(packageId)}\n`
  const drawn = invites.map((invite) => {
    const subtitle = `${terminal.bold(shown(invite.skillName))}  ${terminal.dim(`${shown(invite.level)} · ${invite.quizId}`)}`
    return `\n${subtitle}\n${terminal.fields(inviteFields(invite, wanted))}`
  })
  return title + drawn.join('')
}

function inviteFields(invite: CertificationInvite, { email, sendEmail }: Wanted): Fields {
  const { emailSent, expiresAt } = invite
  const sending = emailSent === null ? 'notSaid' : emailSent ? 'sent' : 'notSent'
  return [
    ['for', email],
    ['invite id', invite.inviteId],
    ['status', shown(invite.status)],
    ['link', invite.challengeUrl],
    ['expires', expiresAt ?? '- (the service did not say; by its rules, 14 days after the invite was created)'],
    ['e-mail', (sendEmail ? REQUESTED : NOT_REQUESTED)[sending]],
  ]
}

const REQUESTED = {
  notSaid: '- (requested; the service did not say whether it was sent)',
  sent: 'sent by the service',
  notSent: 'NOT SENT, although requested: deliver the link yourself',
}
const NOT_REQUESTED = {
  notSaid: '- (not requested)',
  sent: 'SENT, although not requested',
  notSent: 'not sent, as requested: deliver the link yourself',
}

export function drawPackage({ name, level, id, description, skills }: Package, terminal: Terminal): string {
  const title = `\n${terminal.bold(shown(name))}  ${terminal.dim(shown(level))}\n`
  const fields = terminal.fields([
    ['package id', id],
    ['about', shown(description)],
  ])
  return `${title}${fields}\n${terminal.table(packageColumns, skills)}`
}

const packageColumns: readonly Column<Skill>[] = [
  { title: 'QUIZ ID', value: ({ quizId }) => quizId },
  descriptive('SKILL', ({ skillName }) => skillName, true),
  descriptive('MINUTES', ({ durationMinutes }) => durationMinutes),
  descriptive('LANGUAGES', ({ enabledLanguages }) => enabledLanguages, true),
  descriptive('CONCEPTS', ({ conceptsTested }) => conceptsTested?.join(', ') ?? null, true),
]

/** A column of a field that the service may leave out. */
export function descriptive<Row>(title: string, value: (row: Row) => Cell, isLong = false): Column<Row> {
  return { title, value, absent: ABSENT, ...(isLong && { fit: 'end' as const }) }
}

/** A descriptive field for a terminal. */
export function shown(text: string | null): string {
  return text ?? ABSENT
}
