import { randomUUID } from 'node:crypto'
import { inputRequired, inputResponse, type McpServer } from '@modelcontextprotocol/server'
import * as z from 'zod'
import type { CampaignPlan } from '../../src/campaign/index.ts'
import { type ReportedRow, toReportedRow } from '../bulk/report.ts'
import { callbacksOf } from '../callbacks/callback-urls.ts'
import { CliError } from '../cli-error.ts'
import { type OpenSender, withClient } from '../ledger/open-ledger.ts'
import { maskLink } from '../terminal/text.ts'
import { INVITE, type Plan, planWanted, questionOf, type Wanted, wantedIn } from './plan.ts'
import { addTool, type ToolCall, DO_NOT_CREATE_AGAIN, howAPersonResolves, type Session } from './session.ts'

/** Adds the tool that plans and, unless the server is read-only, the one that creates a plan's invites. */
export function addCreateTools(server: McpServer, session: Session): void {
  const { maxInvites } = session.flags
  const { plans } = session
  addTool(server, session, {
    name: 'plan_invites',
    description: `Plans up to ${maxInvites} invites: says what would be created, and for whom. Creates nothing. Show the result to the person.`,
    reads: true,
    input: { invites: z.array(INVITE).min(1).max(maxInvites) },
    run: async ({ invites: wanted }, { signal, canAsk }) => {
      const { plan } = await withPlan(session, wanted, signal, true, async (found) => found)
      const count = plan.rows.filter(({ status }) => status === 'planned').length
      const planId = session.flags.readOnly === true || count === 0 ? undefined : plans.add(plan)
      const next =
        planId === undefined ? READ_ONLY : canAsk || session.context.preferences.yes ? NEXT : approvalOf(planId)
      const message = `${count} of ${plan.rows.length} rows would be sent. Nothing was sent.${count === 0 ? '' : ` ${next}`}`
      const rows = plan.rows.map((row) => ({ ...row, meaning: MEANINGS[row.status] }))
      return { planId, message, ...plan, rows }
    },
  })
  if (session.flags.readOnly === true) return
  addTool(server, session, {
    name: 'create_planned_invites',
    description:
      'Creates the invites of a plan: the service e-mails real people, and nothing cancels an invite. Only if the person agreed. ' +
      'A repeated call returns the first results.',
    reads: false,
    input: { planId: z.string() },
    run: async ({ planId }, call) => {
      const { results } = session
      const earlier = results.get(planId)
      if (earlier !== undefined) return earlier
      const plan = plans.find(planId)
      if (plan === undefined) throw notFound()
      if (!session.context.preferences.yes && !plans.isApproved(planId)) {
        const question = confirm(session, planId, plan, call)
        if (question !== undefined) return question
      }
      const result = createApproved(session, planId, plan, call.signal)
      results.set(planId, result)
      return result.catch((error: unknown) => {
        /* Nothing was sent. */
        results.delete(planId)
        throw error
      })
    },
  })
}

const READ_ONLY = 'This server only reads: a person sends invites with certify.'
const NEXT = 'Show this to the person. If they agree, call create_planned_invites with the planId.'

/* For a client without elicitation. */
function approvalOf(planId: string): string {
  return (
    'This client cannot ask a person to confirm it. Show it to the person, who approves it in a terminal of their own: ' +
    `\`certify approve ${planId}\`. Then call create_planned_invites with the planId.`
  )
}

function notFound(): CliError {
  const hint = 'Make a new plan. list_invites shows what was created before.'
  return refusal('PLAN_NOT_FOUND', 'there is no such plan, or it was sent.', hint)
}

const MEANINGS: Readonly<Record<string, string>> = {
  already_invited: 'The ledger has an open invite for it. It will not be sent.',
  expired: 'It was invited before, and the link has expired. It will not be sent; a person can invite again.',
  partly_invited: 'Some quizzes of this package are invited already. Plan the others as single invites.',
  duplicate: 'An earlier row has the same candidate and quiz.',
  invalid: 'It will not be sent.',
  unknown: `An earlier request may have created it. ${DO_NOT_CREATE_AGAIN}`,
}

function refusal(code: string, message: string, hint: string): CliError {
  return new CliError(`${message} Nothing was sent.`, hint, { code })
}

/* Plans, and keeps the ledger open while `use` runs. */
async function withPlan<T>(
  { context, flags }: Session,
  wanted: readonly Wanted[],
  signal: AbortSignal,
  readOnly: boolean,
  use: (found: Awaited<ReturnType<typeof planWanted>>, sender: OpenSender) => Promise<T>,
): Promise<T> {
  const callbacks = await callbacksOf(context, flags)
  return withClient(context, { callbacks, mostMs: CREATE_MS, readOnly }, async (sender) => {
    const service = context.connection().baseUrl.value ?? ''
    const found = await planWanted(sender, wanted, { mostInvites: flags.maxInvites, service, signal })
    return use(found, sender)
  })
}

/*
 * Throws only before the first create. The plan is compared last, because a person may take minutes to confirm it, and is
 * taken right before: it is sent at most once, however often it is approved.
 */
async function createApproved(session: Session, planId: string, plan: Plan, signal: AbortSignal) {
  return withPlan(session, wantedIn(plan), signal, false, async (now, sender) => {
    if (!session.plans.take(planId)) throw notFound()
    if (JSON.stringify(now.plan) === JSON.stringify(plan)) return createPlanned(session, now.campaign, sender, signal)
    throw refusal('PLAN_CHANGED', 'the plan has changed since.', 'Make a new plan, and show it to the person.')
  })
}

const ANSWER = {
  type: 'object' as const,
  properties: { send: { type: 'boolean' as const, title: 'Send these invites', default: false } },
  required: ['send'],
}

/**
 * The question to the person, or nothing if this call has the answer that confirms it. An answer counts with the random
 * state of its question, and once: a call cannot make one up.
 *
 * @throws CliError if the person did not confirm
 */
function confirm({ asked, plans }: Session, planId: string, plan: Plan, { canAsk, answers, state }: ToolCall) {
  if (!canAsk) {
    throw refusal('CONFIRMATION_UNAVAILABLE', 'the plan is not approved.', approvalOf(planId))
  }
  const answer = inputResponse(answers, 'send')
  if (state === undefined || !asked.delete(`${planId} ${state}`) || answer.kind !== 'elicit') {
    const requestState = randomUUID()
    asked.add(`${planId} ${requestState}`)
    const send = inputRequired.elicit({ mode: 'form', message: questionOf(plan), requestedSchema: ANSWER })
    return inputRequired({ inputRequests: { send }, requestState })
  }
  const { action, content } = answer
  if (action === 'accept' && content?.['send'] === true) return undefined
  if (action !== 'decline') {
    const hint = 'Ask the person. Then call it again with the same planId.'
    throw refusal('NOT_CONFIRMED', 'the person did not confirm the plan.', hint)
  }
  plans.take(planId)
  const hint = 'Do not ask again. The plan is void; if the person wants something else, make a new plan.'
  throw refusal('DECLINED', 'the person declined the plan.', hint)
}

type Row = ReportedRow & { readonly meaning?: string | undefined }

/* Many clients end a call after a minute. */
const CREATE_MS = 20_000

/* One after the other, until the first that is not created. A create in progress is completed and recorded. */
async function createPlanned({ flags, ending }: Session, plan: CampaignPlan, sender: OpenSender, signal: AbortSignal) {
  const { runCampaign } = await import('../../src/campaign/index.ts')
  const rows = new Map<number, Row>()
  for (const row of plan.rows) {
    const message = 'The run stopped before this row. Make a new plan for it.'
    if (row.status === 'planned') rows.set(row.row, { ...toReportedRow(row, false, 'not_started'), message })
  }
  const waited = new AbortController()
  const run = { concurrency: 1, maxFailures: 1, maxOutageMs: 0 }
  for await (const event of runCampaign(plan, { ...run, signal: AbortSignal.any([signal, ending, waited.signal]) })) {
    if (event.type === 'in-progress') setTimeout(() => waited.abort(), CREATE_MS).unref()
    if (event.type !== 'row' || !rows.has(event.row)) continue
    /* If the ledger has no link, this is its only copy. */
    const isShown = flags.showLinks === true || event.error !== undefined
    const row = toReportedRow(event, true)
    const invites = isShown ? row.invites : row.invites.map(masked)
    rows.set(event.row, { ...row, invites, meaning: meaningOf(row, sender.place.flags) })
  }
  const count = (wanted: string) => [...rows.values()].filter(({ status }) => status === wanted).length
  const [created, unknown] = [count('created'), count('unknown')]
  const warning = unknown === 0 ? '' : ` The outcome of ${unknown} is unknown. ${DO_NOT_CREATE_AGAIN}`
  const message = `${created} of ${rows.size} were created.${warning}`
  return { message, rows: [...rows.values()], isFailed: created < rows.size }
}

function meaningOf({ status, reference, invites }: ReportedRow, hintFlags: string): string | undefined {
  if (status === 'unknown') return `${DO_NOT_CREATE_AGAIN} ${howAPersonResolves(reference, hintFlags)}`
  const unsent = status === 'created' ? invites.find(({ emailSent }) => emailSent === false) : undefined
  if (unsent === undefined) return undefined
  const view = `certify invites view ${unsent.inviteId}${hintFlags} --show-links`
  return `No e-mail was sent. A person gets the link with \`${view}\`.`
}

function masked({ challengeUrl, ...invite }: Row['invites'][number]) {
  return { ...invite, ...(challengeUrl !== undefined && { challengeUrl: maskLink(challengeUrl) }) }
}
