import { skill } from '../../mock-server/pages/kit/markup.ts'
import type { LedgerRecord } from '../../src/ledger/index.ts'
import { minuteOf } from '../ledger/invite-row.ts'

/** What somebody is invited to, as the ledger recorded it. */
export function titleOf({ title, level, packageName, packageId, quizId }: LedgerRecord): string {
  const name = title || packageName
  return name ? skill({ skillName: name, level }) : (quizId ?? packageId ?? '')
}

/** What happened to a create whose outcome is unknown. */
export function lossText({ code, history }: LedgerRecord): string {
  if (code === undefined && history.at(-1)?.what === 'lapsed') return LAPSED
  return LOSSES[code ?? ''] ?? 'It was sent, and no usable response arrived.'
}

const LAPSED = 'The program that sent it stopped before it recorded a response.'

const LOSSES: Readonly<Record<string, string>> = {
  TIMED_OUT: 'It was sent, and no response arrived in time.',
  CONNECTION_LOST: 'It was sent, and the connection broke before a response arrived.',
  ABORTED: 'It was sent, and the program stopped waiting for the response.',
  SERVER_FAULT: 'The service had a fault while it handled the request.',
  RESPONSE_UNREADABLE: 'A response arrived, but it could not be read.',
  RESPONSE_MISMATCHED: 'The response that arrived belongs to another request.',
  RESPONSE_UNEXPECTED: 'A response arrived, but not one that says what was created.',
  REDIRECT_REFUSED: 'The request was redirected, and may have been carried out.',
  API_ERROR: 'The service reported an error that does not say whether an invite was created.',
}

/** How an unknown outcome was settled, as a sentence. */
export function settledText({ history, state }: LedgerRecord): string {
  const { what, at = '', by = 'Someone', finding, note } = history.at(-1) ?? {}
  const when = `at ${minuteOf(at)} UTC`
  if (what === 'resolved') {
    const found = finding === 'created' ? 'the invite exists' : 'the invite does not exist'
    return `${by} decided ${when}: ${found}.${note === undefined ? '' : ` Note: ${note}${/[.!?]$/.test(note) ? '' : '.'}`}`
  }
  if (what === 'undone') return `${by} took the decision back ${when}.`
  if (what === 'event') return `A callback named its invite ${when}, so it exists.`
  return `Its outcome was recorded ${when}: ${state}.`
}

/** A question to the candidate. The ledger cannot know how they are addressed. */
export function questionOf(record: LedgerRecord): string {
  const { candidate } = record.input
  const day = new Date(record.sentAt).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
  /* Never an id: the candidate has not seen it. */
  const what = record.title || record.packageName ? `the certification “${titleOf(record)}”` : 'a certification'
  return `Hello${candidate.name ? ` ${candidate.name}` : ''},

On ${day} we invited you to ${what}. We are not sure that the invitation reached you.

Have you received an e-mail with a link to it? Please also look in your spam folder. A short yes or no is enough; please keep the link itself to yourself.

Thank you!`
}
