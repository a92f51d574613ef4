import type { LedgerEntry, LedgerInvite, LedgerState } from '../../src/ledger/index.ts'
import { maskLink } from '../terminal/mask.ts'
import type { Column } from '../terminal/table.ts'

/**
 * An invite that the ledger has; or a send of which it knows no invite, without what belongs to one. Its link and its callback
 * are masked unless they were asked for.
 */
export type InviteRow = ReturnType<typeof recorded>

/** In the order of a send's life. */
export const LEDGER_STATES = [
  'sending',
  'created',
  'refused',
  'not-executed',
  'unknown',
] as const satisfies readonly LedgerState[]

/** The fields of {@link InviteRow}, for --fields. */
export const INVITE_ROW_FIELDS = [
  ...(['inviteId', 'state', 'email', 'name', 'quizId', 'packageId', 'skillName', 'level', 'challengeUrl'] as const),
  ...(['expiresAt', 'emailSent', 'sentAt', 'settledAt', 'reference', 'code', 'externalReference'] as const),
  ...(['callbackUrl', 'campaign', 'row', 'baseUrl', 'account'] as const),
] satisfies readonly (keyof InviteRow)[]

/** The invites of an entry; one row without an invite where none is known. */
export function inviteRowsOf(entry: LedgerEntry, showLinks: boolean): readonly InviteRow[] {
  const invites: readonly (LedgerInvite | undefined)[] = entry.invites.length === 0 ? [undefined] : entry.invites
  return invites.map((invite) => recorded(entry, invite, showLinks ? (link) => link : maskLink))
}

function recorded(entry: LedgerEntry, invite: LedgerInvite | undefined, shown: (link: string) => string) {
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

/** What names a row: the invite; where none is known, the reference, by which it can be settled. */
export function idOf({ inviteId, reference }: InviteRow): string {
  return inviteId ?? reference
}

/** For a pipe, whole. */
export const inviteColumns: readonly Column<InviteRow>[] = [
  { title: 'INVITE ID', value: ({ inviteId }) => inviteId ?? '' },
  { title: 'STATE', value: ({ state }) => state },
  { title: 'E-MAIL', value: ({ email }) => email },
  { title: 'QUIZ ID', value: ({ quizId }) => quizId ?? '' },
  { title: 'PACKAGE ID', value: ({ packageId }) => packageId ?? '' },
  { title: 'SENT', value: ({ sentAt }) => sentAt },
  { title: 'EXPIRES', value: ({ expiresAt }) => expiresAt ?? '' },
  { title: 'E-MAILED', value: ({ emailSent }) => (emailSent === null ? '' : String(emailSent)) },
  { title: 'LINK', value: ({ challengeUrl }) => challengeUrl ?? '' },
  { title: 'REFERENCE', value: ({ reference }) => reference },
]

/** What the help says of {@link inviteColumns}. */
export const INVITE_ROW_NOTE =
  'invite id, state, e-mail, quiz id, package id, when it was sent, when it expires, whether it was e-mailed, link ' +
  '(masked), reference'

/* The address and the quiz tell which invite it is: both are always there, and neither is cut so short that it is ambiguous. */
const email: Column<InviteRow> = { title: 'E-MAIL', value: (row) => row.email, cut: 'middle', narrowest: 24 }
const quiz: Column<InviteRow> = {
  title: 'QUIZ',
  value: ({ quizId, packageId }) => quizId ?? packageId ?? '',
  cut: 'middle',
  narrowest: 16,
}
const code: Column<InviteRow> = { title: 'CODE', value: (row) => row.code ?? '', spare: true }

/** For a terminal. */
export const inviteTable: readonly Column<InviteRow>[] = [
  email,
  { title: 'STATE', value: ({ state }) => state, usual: 'created' },
  moment('EXPIRES', ({ expiresAt }) => expiresAt),
  code,
  { title: 'INVITE ID', value: ({ inviteId }) => inviteId ?? '' },
  quiz,
]

/** For a terminal, of sends of which no invite is known. */
export const sendTable: readonly Column<InviteRow>[] = [
  email,
  moment('SENT', ({ sentAt }) => sentAt),
  code,
  { title: 'REFERENCE', value: ({ reference }) => reference },
  quiz,
]

/* To the minute where there is room for it, else the day. */
function moment(title: string, of: (row: InviteRow) => string | null): Column<InviteRow> {
  const short = { title, value: (row: InviteRow) => of(row)?.slice(0, 10) ?? '', spare: true }
  return { title: `${title} (UTC)`, value: (row) => minuteOf(of(row)), spare: true, short }
}

/** A moment in UTC as people read it, to the minute. */
export function minuteOf(time: string | null): string {
  return time === null ? '' : time.slice(0, 16).replace('T', ' ')
}
