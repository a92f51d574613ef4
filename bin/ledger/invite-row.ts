import type { LedgerFollowUp, LedgerInvite, LedgerRecord } from '../../src/ledger/index.ts'
import { csvLine } from '../table/csv.ts'
import { maskLink, printable } from '../terminal/text.ts'
import { cellText, type Column, type Emphasis, fieldColumns } from '../terminal/table.ts'

/**
 * An invite in the ledger, a follow-up of one, or a create without a known invite. Links and callbacks are masked unless
 * --show-links is set.
 */
export type InviteRow = ReturnType<typeof inviteRow>

/** For --state: the states of a create in their order, and the results. */
export const LISTED_STATES = ['sending', 'created', 'refused', 'not-executed', 'unknown', 'passed', 'failed'] as const

/** The fields of a row, as --csv prints them. */
const INVITE_ROW_FIELDS = [
  ...(['email', 'name', 'skillName', 'level', 'quizId', 'packageId', 'state', 'code', 'result'] as const),
  ...(['sentAt', 'settledAt', 'resultAt', 'validUntil', 'expiresAt', 'expiryAssumed', 'emailSent'] as const),
  ...(['inviteId', 'followUpOf', 'followUpKind', 'followUps', 'reference'] as const),
  ...(['externalReference', 'campaign', 'row', 'challengeUrl', 'callbackUrl', 'baseUrl', 'account'] as const),
] satisfies readonly (keyof InviteRow)[]

/** Their names, as the first line of a CSV file. */
export const INVITE_CSV_HEADER = csvLine(
  INVITE_ROW_FIELDS.map((field) => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)),
)

export function inviteCsvLine(row: InviteRow): string {
  return csvLine(INVITE_ROW_FIELDS.map((field) => printable(cellText({ title: '', value: () => row[field] }, row))))
}

/** A row for each invite of a record, or one row if none is known; then one for each follow-up. */
export function inviteRowsOf(record: LedgerRecord, showLinks: boolean): readonly InviteRow[] {
  const invites: readonly (LedgerInvite | undefined)[] = record.invites.length === 0 ? [undefined] : record.invites
  const shown = showLinks ? (link: string) => link : maskLink
  return [
    ...invites.map((invite) => inviteRow(record, invite, shown)),
    ...(record.followUps ?? []).map((followUp) => followUpRow(record, followUp, shown)),
  ]
}

function inviteRow(record: LedgerRecord, invite: LedgerInvite | undefined, shown: (link: string) => string) {
  const { input } = record
  /* Nobody knows which invite a link of the record belongs to. */
  const links = invite?.challengeUrl === undefined ? record.challengeUrls : [invite.challengeUrl]
  return {
    inviteId: invite?.inviteId ?? null,
    state: record.state,
    email: input.candidate.email,
    name: input.candidate.name ?? null,
    quizId: invite?.quizId ?? record.quizId ?? null,
    packageId: record.packageId ?? null,
    /* Of a package, the record has the title and the level of the package. */
    skillName: invite?.skillName ?? (record.packageId === undefined ? record.title : undefined) ?? null,
    level: invite?.level ?? (record.packageId === undefined ? record.level : undefined) ?? null,
    challengeUrl: links?.map(shown).join(' ') ?? null,
    expiresAt: invite?.expiresAt ?? null,
    expiryAssumed: invite?.expiryAssumed ?? false,
    emailSent: invite?.emailSent ?? null,
    sentAt: record.sentAt,
    settledAt: record.settledAt ?? null,
    reference: record.reference,
    code: record.code ?? null,
    externalReference: ('externalReference' in input && input.externalReference) || null,
    callbackUrl: input.callbackUrl === undefined ? null : shown(input.callbackUrl),
    campaign: record.campaign ?? null,
    row: record.row ?? null,
    baseUrl: record.baseUrl,
    account: record.account,
    ...resultFields(record, invite),
  }
}

const NOT_ITS_OWN = { invites: [], challengeUrls: undefined, packageId: undefined, title: undefined, level: undefined }

/* It shares the candidate and the callback of its origin, and belongs to no package. Nothing else is known about it. */
function followUpRow(record: LedgerRecord, followUp: LedgerFollowUp, shown: (link: string) => string): InviteRow {
  const { inviteId, quizId = null } = followUp
  return {
    ...inviteRow({ ...record, ...NOT_ITS_OWN }, undefined, shown),
    inviteId,
    quizId,
    state: 'created',
    code: null,
    ...resultFields(record, followUp),
  }
}

function resultFields({ followUps = [] }: LedgerRecord, invite: LedgerInvite | LedgerFollowUp | undefined) {
  const followUp: Partial<LedgerFollowUp> = invite ?? {}
  return {
    result: invite?.result ?? null,
    resultAt: invite?.resultAt ?? null,
    validUntil: invite?.validUntil ?? null,
    followUpOf: followUp.followUpOf ?? null,
    followUpKind: followUp.kind ?? null,
    followUps: followUps.flatMap((each) => (each.followUpOf === (invite?.inviteId ?? null) ? each.inviteId : [])),
  }
}

/** The id of the invite; if none is known, the reference that resolves the create. */
export function idOf({ inviteId, reference }: Pick<InviteRow, 'inviteId' | 'reference'>): string {
  return inviteId ?? reference
}

export const inviteColumns: readonly Column<InviteRow>[] = fieldColumns(
  {
    'INVITE ID': 'inviteId',
    STATE: 'state',
    'E-MAIL': 'email',
    'QUIZ ID': 'quizId',
    'PACKAGE ID': 'packageId',
    SENT: 'sentAt',
    EXPIRES: 'expiresAt',
    'E-MAILED': 'emailSent',
    LINK: 'challengeUrl',
    REFERENCE: 'reference',
    RESULT: 'result',
    'RESULT AT': 'resultAt',
    'VALID UNTIL': 'validUntil',
    'FOLLOW-UP OF': 'followUpOf',
  },
  { LINK: 'link (masked)' },
)

/* The address and the quiz identify an invite, so neither is left out or cut until it is ambiguous. */
const email: Column<InviteRow> = { title: 'E-MAIL', value: (row) => row.email, fit: 'middle', narrowest: 24 }
const quiz: Column<InviteRow> = {
  title: 'QUIZ',
  value: ({ skillName, level, quizId, packageId }) =>
    skillName === null ? (quizId ?? packageId ?? '') : `${skillName}${level === null ? '' : ` (${level})`}`,
  fit: 'middle',
  narrowest: 16,
}
const name: Column<InviteRow> = { title: 'NAME', value: (row) => row.name, fit: 'drop' }
const stateOrResult: Column<InviteRow> = {
  title: 'STATE',
  value: ({ state, result }) => result ?? state,
  color: ({ state, result }) => colorOf(result ?? state),
}
const sent: Column<InviteRow> = { title: 'SENT (UTC)', value: ({ sentAt }) => minuteOf(sentAt), fit: 'drop' }
const code: Column<InviteRow> = { title: 'CODE', value: (row) => row.code, fit: 'drop' }

/** Green is good, red is bad, and yellow needs a person. */
export function colorOf(state: string): Emphasis | undefined {
  return COLORS[state]
}

const COLORS: Readonly<Record<string, Emphasis>> = {
  created: 'green',
  passed: 'green',
  sending: 'yellow',
  unknown: 'yellow',
  failed: 'red',
  refused: 'red',
  rejected: 'red',
  planned: 'green',
  'not-executed': 'dim',
}

export const inviteTable: readonly Column<InviteRow>[] = [
  email,
  name,
  stateOrResult,
  sent,
  moment('EXPIRES', ({ expiresAt }) => expiresAt),
  code,
  { title: 'INVITE ID', value: ({ inviteId }) => inviteId },
  quiz,
]

/** For a terminal: invites with the same result. */
export const resultTable: readonly Column<InviteRow>[] = [
  email,
  name,
  moment('RESULT', ({ resultAt }) => resultAt),
  moment('VALID UNTIL', ({ validUntil }) => validUntil),
  { title: 'INVITE ID', value: ({ inviteId }) => inviteId },
  quiz,
]

/** For a terminal, with --show-links. */
export const linkColumn: Column<InviteRow> = { title: 'LINK', value: ({ challengeUrl }) => challengeUrl }

/** For a terminal: creates without a known invite. */
export const sendTable: readonly Column<InviteRow>[] = [
  email,
  name,
  sent,
  code,
  { title: 'REFERENCE', value: ({ reference }) => reference },
  quiz,
]

function moment(title: string, of: (row: InviteRow) => string | null): Column<InviteRow> {
  return { title, value: (row) => of(row)?.slice(0, 10), fit: 'drop' }
}

/** A time in UTC, to the minute, for people. */
export function minuteOf(time: string | null): string {
  return time === null ? '' : time.slice(0, 16).replace('T', ' ')
}

/**
 * The chains that an invite is in, from the first invite to the last follow-up, each with its result. Empty if it is
 * not a follow-up and has none.
 */
export function chainsOf({ inviteId }: InviteRow, record: LedgerRecord): readonly string[] {
  const { invites, followUps = [] } = record
  const starts = [...invites, ...followUps.filter(({ followUpOf }) => followUpOf === undefined)]
  const chains = starts.flatMap((start) => chainsFrom([start], followUps))
  return chains
    .filter((chain) => chain.length > 1 && chain.some((each) => each.inviteId === inviteId))
    .map((chain) => chain.map(linkText).join(' → '))
}

type Link = LedgerInvite | LedgerFollowUp

function chainsFrom(chain: readonly Link[], followUps: readonly LedgerFollowUp[]): readonly (readonly Link[])[] {
  const next = followUps.filter(({ followUpOf }) => followUpOf === chain.at(-1)?.inviteId)
  return next.length === 0 ? [chain] : next.flatMap((each) => chainsFrom([...chain, each], followUps))
}

function linkText(link: Link): string {
  const { inviteId, result } = link
  const words = [
    ...('kind' in link && link.kind !== undefined ? [link.kind] : []),
    ...(result === undefined ? [] : [result]),
  ]
  return words.length === 0 ? inviteId : `${inviteId} (${words.join(', ')})`
}
