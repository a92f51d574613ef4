import { randomUUID } from 'node:crypto'
import type { CertificationInvite, CertifyError, SkillInvite } from '../../src/index.ts'
import type { GuardedClient } from '../../src/ledger/index.ts'
import { callbacksOf } from '../callbacks/callback-urls.ts'
import type { LedgerPlace } from '../config/ledger.ts'
import { openForSending } from '../ledger/open-ledger.ts'
import { resolveCommand, unrecorded } from '../ledger/resolve-hints.ts'
import { maskLink } from '../terminal/mask.ts'
import { DO_NOT_SEND_AGAIN, type Failure, failureOf } from './failure.ts'
import { inputOf, type Plan, type PlannedInvite } from './plan.ts'
import { placeOf, type Session } from './session.ts'
import type { Call } from './tool.ts'
import { howToResolve } from './unknown.ts'

/** What became of the rows that were to be sent. */
export type SentPlan = readonly SentInvite[]

export type SentStatus = 'created' | 'already_invited' | 'refused' | 'failed' | 'unknown' | 'not_sent'

export interface SentInvite extends Pick<PlannedInvite, 'number' | 'email' | 'quizId' | 'packageId'> {
  readonly status: SentStatus
  readonly meaning: string
  /** The reference of the send in the ledger. */
  readonly reference: string | null
  readonly invites: readonly CreatedInvite[]
  readonly error: Failure | null
}

interface CreatedInvite extends Omit<CertificationInvite, 'challengeUrl'> {
  /** Masked unless --show-links is set. */
  readonly challengeUrl: string
  readonly quizId: string | null
  readonly skillName: string | null
  readonly level: string | null
}

/**
 * Sends each planned row at most once, one after the other, through the ledger. It ends early if the next row would share the
 * failure of this one, or when an outcome is unknown. What is being sent is always completed and recorded.
 *
 * @throws CliError, CertifyError only before the first create
 */
export async function sendPlan(session: Session, plan: Plan, { signal, progress }: Call): Promise<SentPlan> {
  const { context, flags } = session
  const place = placeOf(session)
  const client = (await callbacksOf(context, flags))(await context.client('write'))
  const { withLedger } = await import('../../src/ledger/index.ts')
  const { ledger, account, world } = await openForSending(context, place)
  const unsettled: CertifyError[] = []
  try {
    const deadlineMs = context.connection().deadlineMs.value
    const onUnsettled = (error: CertifyError) => void unsettled.push(error)
    const guarded = withLedger(client, ledger, { account, world, deadlineMs, onUnsettled })
    const planned = plan.rows.filter(({ status }) => status === 'planned')
    const rows: SentInvite[] = []
    let ended: string | undefined
    for (const row of planned) {
      if (signal.aborted || session.ending.aborted)
        ended ??= 'The call was cancelled, or the server ended, before it was sent.'
      const sent = ended === undefined ? await send(guarded, row, session, place, unsettled) : unsent(row, ended)
      rows.push(sent)
      if (endsPlan(sent)) ended ??= `It was not sent, because of what became of row ${row.number}.`
      await progress(rows.length, planned.length).catch(() => {})
    }
    return rows
  } finally {
    /* Everything is recorded by now, or was reported. */
    await ledger.close().catch(() => {})
  }
}

async function send(
  client: GuardedClient,
  row: PlannedInvite,
  { flags }: Session,
  place: LedgerPlace,
  unsettled: CertifyError[],
): Promise<SentInvite> {
  const reference = randomUUID()
  const input = inputOf(row)
  unsettled.length = 0
  try {
    const created =
      'packageId' in input
        ? (await client.packageInvites.create(input, { reference })).invites
        : [await client.invites.create(input, { reference })]
    const [lost] = unsettled
    /* If the ledger has no link, this is its only copy. */
    const shown = flags.showLinks === true || lost !== undefined ? (link: string) => link : maskLink
    const invites = created.map((invite) => createdInvite(invite, row, shown))
    const warning = lost && `It was created; save its link. ${unrecorded(lost, resolveCommand(reference, place))}`
    return {
      ...of(row),
      status: 'created',
      meaning: warning ?? meaningOf(row, invites),
      reference,
      invites,
      error: null,
    }
  } catch (error) {
    const sent = failed(row, reference, failureOf(error), place)
    const [lost] = unsettled
    return lost === undefined
      ? sent
      : { ...sent, meaning: `${sent.meaning} ${unrecorded(lost, resolveCommand(reference, place))}` }
  }
}

function failed(row: PlannedInvite, reference: string, error: Failure, place: LedgerPlace): SentInvite {
  const status = statusOf(error)
  const isRecorded = status === 'created' || status === 'unknown' || status === 'refused'
  return {
    ...of(row),
    status,
    meaning:
      status === 'unknown'
        ? `It may have been created. ${DO_NOT_SEND_AGAIN} ${howToResolve(reference, place)}`
        : error.hint,
    reference: isRecorded ? reference : null,
    invites: [],
    error,
  }
}

function unsent(row: PlannedInvite, reason: string): SentInvite {
  const meaning = `${reason} To send it, make a new plan.`
  return { ...of(row), status: 'not_sent', meaning, reference: null, invites: [], error: null }
}

function statusOf({ code, outcome }: Failure): SentStatus {
  if (outcome === 'executed') return 'created'
  if (outcome === 'unknown' || code === 'PRIOR_OUTCOME_UNKNOWN') return 'unknown'
  if (code === 'ALREADY_INVITED') return 'already_invited'
  if (code === 'IN_PROGRESS') return 'not_sent'
  return OF_THE_ROW.has(code) ? 'refused' : 'failed'
}

/* Refusals that say nothing about the next row. */
const OF_THE_ROW: ReadonlySet<string> = new Set(['BAD_USER_INPUT', 'NOT_FOUND', 'API_ERROR', 'INPUT_INVALID'])

function endsPlan({ status, error }: SentInvite): boolean {
  return status === 'failed' || (error !== null && error.outcome !== 'not-executed')
}

function of({ number, email, quizId, packageId }: PlannedInvite) {
  return { number, email, quizId, packageId }
}

function createdInvite(
  invite: CertificationInvite | SkillInvite,
  { quizId }: PlannedInvite,
  shown: (link: string) => string,
): CreatedInvite {
  const { inviteId, status, challengeUrl, expiresAt, emailSent } = invite
  const skill = 'skillName' in invite ? invite : { quizId, skillName: null, level: null }
  return {
    inviteId,
    status,
    challengeUrl: shown(challengeUrl),
    expiresAt,
    emailSent,
    quizId: skill.quizId,
    skillName: skill.skillName,
    level: skill.level,
  }
}

function meaningOf({ sendsEmail }: PlannedInvite, invites: readonly CreatedInvite[]): string {
  const ids = invites.filter(({ emailSent }) => emailSent !== true).map(({ inviteId }) => inviteId)
  if (ids.length === 0) return 'It was created, and the service sent the e-mail.'
  const who = sendsEmail ? 'The service did not say that it sent the e-mail.' : 'No e-mail was requested.'
  return `It was created. ${who} A person gets the link to deliver with: certify invites view ${ids[0]} --show-links.`
}
