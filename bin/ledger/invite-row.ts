import type { LedgerEntry, LedgerInvite, LedgerState } from '../../src/ledger/index.ts'
import { maskLink } from '../terminal/mask.ts'
import { type Column, fieldColumns } from '../terminal/table.ts'

/** An invite in the ledger, or a send without a known invite. Links and callbacks are masked unless --show-links is set. */
export type InviteRow = ReturnType<typeof inviteRow>

/** In the order of a send's life. */
export const LEDGER_STATES = [
  'sending',
  'created',
  'refused',
  'not-executed',
  'unknown',
] as const satisfies readonly LedgerState[]

/** For --fields. */
export const INVITE_ROW_FIELDS = [
  ...(['inviteId', 'state', 'email', 'name', 'quizId', 'packageId', 'skillName', 'level', 'challengeUrl'] as const),
  ...([
    'expiresAt',
    'expiryAssumed',
    'emailSent',
    'sentAt',
    'settledAt',
    'reference',
    'code',
    'externalReference',
  ] as const),
  ...(['callbackUrl', 'campaign', 'row', 'baseUrl', 'account'] as const),
] satisfies readonly (keyof InviteRow)[]

/** A row for each invite of an entry; one row if none is known. */
export function inviteRowsOf(entry: LedgerEntry, showLinks: boolean): readonly InviteRow[] {
  const invites: readonly (LedgerInvite | undefined)[] = entry.invites.length === 0 ? [undefined] : entry.invites
  return invites.map((invite) => inviteRow(entry, invite, showLinks ? (link) => link : maskLink))
}

function inviteRow(entry: LedgerEntry, invite: LedgerInvite | undefined, shown: (link: string) => string) {
  const { input } = entry
  const link = invite?.challengeUrl
  return {
    inviteId: invite?.inviteId ?? null,
    state: entry.state,
    email: input.candidate.email,
    name: input.candidate.name ?? null,
    quizId: invite?.quizId ?? entry.quizId ?? null,
    packageId: entry.packageId ?? null,
    skillName: invite?.skillName ?? null,
    level: invite?.level ?? null,
    challengeUrl: link === undefined ? null : shown(link),
    expiresAt: invite?.expiresAt ?? null,
    expiryAssumed: invite?.expiryAssumed ?? false,
    emailSent: invite?.emailSent ?? null,
    sentAt: entry.sentAt,
    settledAt: entry.settledAt ?? null,
    reference: entry.reference,
    code: entry.code ?? null,
    externalReference: ('externalReference' in input && input.externalReference) || null,
    callbackUrl: input.callbackUrl === undefined ? null : shown(input.callbackUrl),
    campaign: entry.campaign ?? null,
    row: entry.row ?? null,
    baseUrl: entry.baseUrl,
    account: entry.account,
  }
}

/** The id of the invite; if none is known, the reference that resolves the send. */
export function idOf({ inviteId, reference }: InviteRow): string {
  return inviteId ?? reference
}

export const inviteColumns: readonly Column<InviteRow>[] = fieldColumns({
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
})

/** {@link inviteColumns} for the help. */
export const INVITE_ROW_NOTE =
  'invite id, state, e-mail, quiz id, package id, time of sending, time of expiry, whether it was e-mailed, link ' +
  '(masked), reference'

/* The address and the quiz identify an invite: neither is left out, or cut so short that it is ambiguous. */
const email: Column<InviteRow> = { title: 'E-MAIL', value: (row) => row.email, cut: 'middle', narrowest: 24 }
const quiz: Column<InviteRow> = {
  title: 'QUIZ',
  value: ({ quizId, packageId }) => quizId ?? packageId ?? '',
  cut: 'middle',
  narrowest: 16,
}
const code: Column<InviteRow> = { title: 'CODE', value: (row) => row.code, spare: true }

export const inviteTable: readonly Column<InviteRow>[] = [
  email,
  { title: 'STATE', value: ({ state }) => state, usual: 'created' },
  moment('EXPIRES', ({ expiresAt }) => expiresAt),
  code,
  { title: 'INVITE ID', value: ({ inviteId }) => inviteId },
  quiz,
]

/** For a terminal, with --show-links. */
export const linkColumn: Column<InviteRow> = { title: 'LINK', value: ({ challengeUrl }) => challengeUrl }

/** For a terminal: sends without a known invite. */
export const sendTable: readonly Column<InviteRow>[] = [
  email,
  moment('SENT', ({ sentAt }) => sentAt),
  code,
  { title: 'REFERENCE', value: ({ reference }) => reference },
  quiz,
]

/* To the minute; to the day if there is too little room. */
function moment(title: string, of: (row: InviteRow) => string | null): Column<InviteRow> {
  const short = { title, value: (row: InviteRow) => of(row)?.slice(0, 10), spare: true }
  return { title: `${title} (UTC)`, value: (row) => minuteOf(of(row)), spare: true, short }
}

/** A time in UTC for people, to the minute. */
export function minuteOf(time: string | null): string {
  return time === null ? '' : time.slice(0, 16).replace('T', ' ')
}
