import type { Command } from 'commander'
import type { LedgerFilter } from '../../src/ledger/index.ts'
import { readMoment } from '../config/duration.ts'
import { oneOf } from '../config/settings.ts'
import { once } from '../flags.ts'
import { type InviteRow, LISTED_RESULTS, LISTED_STATES } from './invite-row.ts'

/** The flags that choose invites. */
export interface FilterFlags extends Pick<LedgerFilter, 'email' | 'quizId' | 'packageId' | 'campaign'> {
  readonly state?: string | undefined
  readonly since?: string | undefined
}

export const STATES_NOTE =
  'The states: sending (in progress), created, refused (by the service), not-executed (it never reached the service) and ' +
  'unknown (it may have been created: certify invites resolve records what became of it). An expired invite is still ' +
  'listed as created. passed and failed are results: the ledger learns them from events, which certify callbacks listen ' +
  'or your own receiver records.'

export function addFilterFlags(command: Command): Command {
  return command
    .option('--email <address>', 'for this candidate', once)
    .option('--quiz-id <quiz-id>', 'for this quiz, also as part of a package', once)
    .option('--package-id <package-id>', 'for this package', once)
    .option('--state <state>', `in this state, or with this result: ${LISTED_STATES.join(', ')}`, once)
    .option('--since <when>', 'sent since: 7d, 2030-01-31 (UTC) or 2030-01-31T09:00:00Z', once)
    .option('--campaign <name>', 'of this campaign', once)
}

/** Which entries the flags choose, and which invites of them. @throws CliError */
export function readFilter(flags: FilterFlags, now: number) {
  const { email, quizId, packageId, campaign, state: given, since } = flags
  const state = given === undefined ? undefined : oneOf('--state', given, LISTED_STATES)
  const result = LISTED_RESULTS.find((each) => each === state)
  const sendState = state === 'passed' || state === 'failed' ? undefined : state
  const filter: LedgerFilter = {
    email,
    quizId,
    packageId,
    campaign,
    state: sendState,
    result,
    since: since === undefined ? undefined : readMoment('--since', since, now),
  }
  const includes = (row: InviteRow) =>
    (quizId === undefined || row.quizId === null || row.quizId.trim() === quizId.trim()) &&
    (sendState === undefined || row.state === sendState) &&
    (result === undefined || row.result === result)
  return { filter, includes, isByResult: result !== undefined, state: sendState }
}
