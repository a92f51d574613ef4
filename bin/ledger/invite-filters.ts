import { type Command, Option } from 'commander'
import type { LedgerRecord, LedgerFilter } from '../../src/ledger/index.ts'
import { readService, shownAddress } from '../config/connection.ts'
import { momentOf } from '../config/duration.ts'
import type { Context } from '../context.ts'
import { once } from '../flags.ts'
import { type InviteRow, LISTED_STATES } from './invite-row.ts'

/** The options that choose invites. */
export interface FilterFlags extends Pick<LedgerFilter, 'email' | 'quizId' | 'packageId' | 'campaign'> {
  readonly state?: (typeof LISTED_STATES)[number] | undefined
  readonly since?: ((now: number) => number) | undefined
  readonly all?: boolean
}

export function addFilterOptions(command: Command): Command {
  return command
    .option('--email <address>', 'of this candidate', once)
    .option('--quiz-id <quiz-id>', 'to this quiz, also as part of a package', once)
    .option('--package-id <package-id>', 'to this package', once)
    .addOption(new Option('--state <state>', 'in this state, or with this result').choices(LISTED_STATES))
    .option('--since <when>', 'sent since: 7d, 2030-01-31 or 2030-01-31T09:00:00Z', momentOf)
    .option('--campaign <name>', 'of this campaign: the file name of certify bulk', once)
    .option('--all', 'of every service and account in the ledger')
}

/** Which records, and which of their invites, the options choose. */
export function readFilter({ email, quizId, packageId, campaign, state, since }: FilterFlags, now: number) {
  const result = state === 'passed' || state === 'failed' ? state : undefined
  const sendState = state === 'passed' || state === 'failed' ? undefined : state
  const filter: LedgerFilter = {
    email,
    quizId,
    packageId,
    campaign,
    state: sendState,
    result,
    since: since && new Date(since(now)),
  }
  const includes = (row: InviteRow) =>
    (quizId === undefined || row.quizId === null || row.quizId.trim() === quizId.trim()) &&
    (sendState === undefined || row.state === sendState) &&
    (result === undefined || row.result === result)
  return { filter, includes }
}

export type ScopeFilter = Pick<LedgerFilter, 'baseUrl' | 'account'>

/**
 * What to list: the account, or at an address of this machine what was created there. The description is empty if it is
 * everything in the ledger.
 */
export function listedScope({ io, program, place }: Pick<Context, 'io' | 'program' | 'place'>, all = false) {
  const { account } = place()
  const baseUrl = all ? undefined : readService(io, program.root).baseUrl.value
  const isNamed = account.origin === '--account' || (account.origin !== 'default' && !all)
  const isHere = baseUrl !== undefined && LOOPBACK.test(baseUrl)
  const isOfAccount = isNamed || (!all && !isHere)
  const filter: ScopeFilter = {
    ...(isHere && { baseUrl }),
    ...(isOfAccount && { account: account.value }),
  }
  /* What was created in a sandbox on this machine is not of the service. */
  const isListed = (record: LedgerRecord) => all || isHere || baseUrl === undefined || !LOOPBACK.test(record.baseUrl)
  const parts = [...(isHere ? [shownAddress(baseUrl)] : []), ...(isOfAccount ? [`account ${account.value}`] : [])]
  return { filter, isListed, description: parts.join(', ') }
}

const LOOPBACK = /^https?:\/\/(localhost|127\.[\d.]+|\[::1\])([:/]|$)/i
