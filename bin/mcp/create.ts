import { randomUUID } from 'node:crypto'
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import * as z from 'zod'
import type { CampaignPlan } from '../../src/campaign/index.ts'
import { type ReportedRow, toReportedRow } from '../bulk/report.ts'
import { callbacksOf } from '../callbacks/callback-urls.ts'
import { CliError } from '../cli-error.ts'
import { withClient } from '../ledger/open-ledger.ts'
import { maskLink } from '../terminal/mask.ts'
import { INVITE, type Outline, planWanted, questionOf, type Wanted } from './plan.ts'
import { addTool, DO_NOT_CREATE_AGAIN, howAPersonResolves, type Session } from './session.ts'

/* A plan of this session. Later calls get the result of the first one, even while it runs. */
interface Plan {
  readonly wanted: readonly Wanted[]
  readonly outline: Outline
  result?: Promise<object>
}

/** Adds the tool that plans and, unless the server is read-only, the one that creates a plan's invites. */
export function addCreateTools(server: McpServer, session: Session): void {
  const plans = new Map<string, Plan>()
  const { maxInvites } = session.flags
  addTool(server, session, {
    name: 'plan_invites',
    description: `Plans up to ${maxInvites} invites: says what would be created, and for whom. Creates nothing. Show the result to the person.`,
    reads: true,
    input: { invites: z.array(INVITE).min(1).max(maxInvites) },
    run: async ({ invites: wanted }, signal) => {
      const outline = await withPlan(session, wanted, signal, true, async (found) => found)
      const obstacle = whyItOnlyPlans(server, session)
      const count = outline.rows.filter(({ status }) => status === 'planned').length
      const planId = obstacle === undefined && count > 0 ? `plan_${randomUUID()}` : undefined
      if (planId !== undefined) plans.set(planId, { wanted, outline })
      const next = obstacle ?? 'Show this to the person. If they agree, call create_planned_invites with the planId.'
      const message = `${count} of ${outline.rows.length} rows would be sent. Nothing was sent.${count === 0 ? '' : ` ${next}`}`
      const rows = outline.rows.map((row) => ({ ...row, meaning: MEANINGS[row.status] }))
      return { planId, message, ...outline, rows }
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
    run: async ({ planId }, signal) => {
      const obstacle = whyItOnlyPlans(server, session)
      if (obstacle !== undefined) {
        const hint = 'Do not call it again: the result stays the same. Show the plan to the person, and say so.'
        throw refusal('CONFIRMATION_UNAVAILABLE', obstacle, hint)
      }
      const plan = plans.get(planId)
      if (plan === undefined) {
        const hint = 'Make a new plan. list_invites shows what was created before.'
        throw refusal('PLAN_NOT_FOUND', 'this session has no such plan.', hint)
      }
      plan.result ??= confirmAndCreate(server, session, plan, signal)
      return plan.result.catch((error: unknown) => {
        /* Nothing was sent. Only an unanswered question can be asked again. */
        delete plan.result
        if (error instanceof CliError && VOIDING.has(error.code)) plans.delete(planId)
        throw error
      })
    },
  })
}

const MEANINGS: Readonly<Record<string, string>> = {
  already_invited: 'The ledger has an open invite for it. It will not be sent.',
  expired: 'It was invited before, and the link has expired. It will not be sent; a person can invite again.',
  partly_invited: 'Some quizzes of this package are invited already. Plan the others as single invites.',
  duplicate: 'An earlier row has the same candidate and quiz.',
  invalid: 'It will not be sent.',
  unknown: `An earlier request may have created it. ${DO_NOT_CREATE_AGAIN}`,
}

const VOIDING: ReadonlySet<string> = new Set(['DECLINED', 'PLAN_CHANGED'])

function refusal(code: string, message: string, hint: string): CliError {
  return new CliError(`${message} Nothing was sent.`, hint, { code })
}

/** Why this server only plans, whatever the agent calls; `undefined` if it can also create. */
function whyItOnlyPlans({ server }: McpServer, session: Session): string | undefined {
  if (session.flags.readOnly === true) return 'This server only reads: a person sends invites with certify.'
  const canAsk = server.getClientCapabilities()?.elicitation?.form !== undefined
  if (canAsk || session.context.preferences.yes) return undefined
  return (
    'This client cannot ask a person to confirm a plan (elicitation), so this server only plans. A person sends the invites ' +
    'with certify, or starts the server with --yes, which leaves the confirmation to the client.'
  )
}

/* Plans, and keeps the ledger open while `use` runs. */
async function withPlan<T>(
  { context, flags }: Session,
  wanted: readonly Wanted[],
  signal: AbortSignal,
  readOnly: boolean,
  use: (outline: Outline, plan: CampaignPlan, hintFlags: string) => Promise<T>,
): Promise<T> {
  const callbacks = await callbacksOf(context, flags)
  return withClient(context, { callbacks, readOnly }, async (sender) => {
    const service = context.connection().baseUrl.value ?? ''
    const { outline, plan } = await planWanted(sender, wanted, { mostInvites: flags.maxInvites, service, signal })
    return use(outline, plan, sender.place.flags)
  })
}

/* Throws only before the first create. The plan is compared last, because a person may take minutes to confirm it. */
async function confirmAndCreate(server: McpServer, session: Session, { wanted, outline }: Plan, signal: AbortSignal) {
  if (!session.context.preferences.yes) await confirm(server, session, outline, signal)
  return withPlan(session, wanted, signal, false, async (now, plan, hintFlags) => {
    if (JSON.stringify(outline) === JSON.stringify(now)) return createPlanned(session, plan, hintFlags, signal)
    throw refusal('PLAN_CHANGED', 'the plan has changed since.', 'Make a new plan, and show it to the person.')
  })
}

/* Longer than a person looks at a plan; only this call waits for it. */
const PATIENCE_MS = 15 * 60_000

const ANSWER = {
  type: 'object' as const,
  properties: { send: { type: 'boolean' as const, title: 'Send these invites', default: false } },
  required: ['send'],
}

async function confirm({ server }: McpServer, session: Session, outline: Outline, signal: AbortSignal): Promise<void> {
  const params = { message: questionOf(outline), requestedSchema: ANSWER }
  const options = { signal: AbortSignal.any([signal, session.ending]), timeout: PATIENCE_MS }
  const { action, content } = await server
    .elicitInput(params, options)
    .catch(() => ({ action: 'cancel', content: undefined }))
  if (action === 'accept' && content?.['send'] === true) return
  if (action === 'cancel') {
    const hint = 'Ask the person. Then call it again with the same planId.'
    throw refusal('NOT_CONFIRMED', 'the person did not confirm the plan.', hint)
  }
  const hint = 'Do not ask again. The plan is void; if the person wants something else, make a new plan.'
  throw refusal('DECLINED', 'the person declined the plan.', hint)
}

type Row = ReportedRow & { readonly meaning?: string | undefined }

/* One after the other, until the first that is not created. A create in progress is completed and recorded. */
async function createPlanned({ flags, ending }: Session, plan: CampaignPlan, hintFlags: string, signal: AbortSignal) {
  const { runCampaign } = await import('../../src/campaign/index.ts')
  const rows = new Map<number, Row>()
  for (const row of plan.rows) {
    const message = 'The run stopped before this row. Make a new plan for it.'
    if (row.status === 'planned') rows.set(row.row, { ...toReportedRow(row, false, 'not_started'), message })
  }
  const stopping = AbortSignal.any([signal, ending])
  for await (const event of runCampaign(plan, { concurrency: 1, maxFailures: 1, maxOutageMs: 0, signal: stopping })) {
    if (event.type !== 'row' || !rows.has(event.row)) continue
    /* If the ledger has no link, this is its only copy. */
    const isShown = flags.showLinks === true || event.error !== undefined
    const row = toReportedRow(event, true)
    const invites = isShown ? row.invites : row.invites.map(masked)
    rows.set(event.row, { ...row, invites, meaning: meaningOf(row, hintFlags) })
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
