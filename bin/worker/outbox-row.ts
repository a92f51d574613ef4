import type { Wish, WishState } from '../../src/ledger/postgres/index.ts'
import { minuteOf } from '../ledger/invite-row.ts'
import { type Column, fieldColumns } from '../terminal/table.ts'

export const WISH_STATES = [
  ...(['waiting', 'sending', 'created', 'already_invited', 'refused', 'unknown', 'failed', 'cancelled'] as const),
] satisfies readonly WishState[]

export const WISH_STATES_NOTE =
  'The states: waiting; sending (a worker has taken it); created; already_invited (the ledger has an open invite of another ' +
  'send); refused (by the service); unknown (it may have been created: it is not sent again by itself); failed (it cannot be ' +
  'sent); cancelled.'

/** What is shown of a wish. */
export interface WishRow extends Omit<Wish, 'input'> {
  readonly email: string
  readonly quizId: string | undefined
  readonly packageId: string | undefined
}

/** For --fields. */
export const WISH_FIELDS = [
  ...(['reference', 'state', 'email', 'quizId', 'packageId', 'account', 'campaign', 'code', 'entry'] as const),
  ...(['tries', 'ifInvited', 'enqueuedAt', 'dueAt', 'endedAt'] as const),
] satisfies readonly (keyof WishRow)[]

export function wishRow({ input, ...wish }: Wish): WishRow {
  return {
    ...wish,
    email: input.candidate.email,
    quizId: 'quizId' in input ? input.quizId : undefined,
    packageId: 'packageId' in input ? input.packageId : undefined,
  }
}

export const wishColumns: readonly Column<WishRow>[] = [
  ...fieldColumns<WishRow>({ REFERENCE: 'reference', STATE: 'state', EMAIL: 'email' }),
  ...fieldColumns<WishRow>({ 'QUIZ ID': 'quizId', 'PACKAGE ID': 'packageId', CODE: 'code', ENTRY: 'entry' }),
  ...fieldColumns<WishRow>({ DUE: 'dueAt' }),
]

/** {@link wishColumns} for a terminal. */
export const wishTable: readonly Column<WishRow>[] = [
  { title: 'REFERENCE', value: ({ reference }) => reference },
  { title: 'STATE', value: ({ state }) => state },
  { title: 'E-MAIL', value: ({ email }) => email, cut: 'middle', narrowest: 16 },
  {
    title: 'DUE (UTC)',
    value: ({ dueAt }) => minuteOf(dueAt),
    spare: true,
    short: { title: 'DUE', value: ({ dueAt }) => dueAt.slice(0, 10), spare: true },
  },
  { title: 'CODE', value: ({ code }) => code, spare: true },
  { title: 'QUIZ', value: ({ quizId, packageId }) => quizId ?? packageId ?? '', cut: 'middle', spare: true },
  { title: 'ENTRY', value: ({ entry, reference }) => (entry === reference ? null : entry), spare: true },
]
