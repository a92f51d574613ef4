import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import * as z from 'zod'
import { toReportedRow, type ReportedRow } from '../bulk/report.ts'
import { callbacksOf } from '../callbacks/callback-urls.ts'
import { CliError, notFoundError } from '../cli-error.ts'
import { momentOf } from '../config/duration.ts'
import { entriesOf } from '../ledger/find-entries.ts'
import { chainsOf } from '../ledger/follow-up-chains.ts'
import { inviteRowsOf, type InviteRow, LISTED_STATES } from '../ledger/invite-row.ts'
import { listedScope, readFilter } from '../ledger/list-invites.ts'
import { useLedger, withSender } from '../ledger/open-ledger.ts'
import { howToResolve } from '../terminal/error-wording.ts'
import { maskLink } from '../terminal/mask.ts'
import { isUnchanged, newPlan, type Plan, type Planned, planWanted, questionOf } from './plan.ts'
import { addTool, type Call, DO_NOT_CREATE_AGAIN, isReadOnly, type Session } from './session.ts'

const text = () => z.string().optional()

/** Adds the tools of the server. The one that creates needs a plan. */
export function addTools(server: McpServer, session: Session): void {
  addTrackTools(server, session)
  addPlanTool(server, session)
  if (!isReadOnly(session)) addCreateTool(server, session)
  addLedgerTools(server, session)
}

function addTrackTools(server: McpServer, session: Session): void {
  const { context } = session
  addTool(server, session, {
    name: 'list_tracks',
    description: 'Lists the certification tracks with their packages.',
    reads: true,
    input: { search: text().describe('Only tracks and packages with this text in their names.') },
    run: async ({ search }, { signal }) => {
      const tracks = await (await context.client('read')).tracks.list({ search }, { signal })
      return {
        tracks: tracks.map(({ slug, name, packages }) => ({
          slug,
          name,
          packages: packages.map(({ id, skills, ...each }) => ({
            packageId: id,
            name: each.name,
            level: each.level,
            skills: skills.length,
          })),
        })),
      }
    },
  })
  addTool(server, session, {
    name: 'view_track',
    description: 'Shows a track with the packageId of each package and the quizId of each skill.',
    reads: true,
    input: { slug: z.string() },
    run: async ({ slug }, { signal }) => {
      const track = await (await context.client('read')).tracks.get(slug, { signal })
      if (track === null) throw notFoundError('there is no track with this slug.', 'list_tracks shows the slugs.')
      return {
        slug,
        name: track.name,
        packages: track.packages.map(({ id, ...others }) => ({ packageId: id, ...others })),
      }
    },
  })
}

/* The dry run that every create needs. */
function addPlanTool(server: McpServer, session: Session): void {
  const { maxInvites } = session.flags
  const invite = z.strictObject({
    email: z.string(),
    name: text(),
    quizId: text().describe('A single invite. Not with packageId.'),
    packageId: text().describe('An invite to each skill of a package.'),
    sendEmail: z.boolean().optional().describe('Whether the service e-mails the candidate. Default: true.'),
    externalReference: text().describe('Your own reference. Only with quizId.'),
  })
  addTool(server, session, {
    name: 'plan_invites',
    description: `Says what would be created, and for whom, at most ${maxInvites} invites. It creates nothing. Show the result to the person.`,
    reads: true,
    input: { invites: z.array(invite).min(1).max(maxInvites) },
    run: async ({ invites }, { signal }) => {
      const planned = await planNow(session, invites, signal, true)
      const { rows, ...head } = planned.outline
      const obstacle = whyItOnlyPlans(server, session)
      const count = rows.filter(({ status }) => status === 'planned').length
      const plan = obstacle === undefined && count > 0 ? newPlan(planned, invites) : undefined
      if (plan !== undefined) session.plans.set(plan.id, plan)
      const next = obstacle ?? 'Show this to the person. If they agree, call create_planned_invites with the planId.'
      const message = `${count} of ${rows.length} rows would be sent. Nothing was sent.${count === 0 ? '' : ` ${next}`}`
      return {
        planId: plan?.id,
        message,
        ...head,
        rows: rows.map((row) => ({ ...row, meaning: MEANINGS[row.status] })),
      }
    },
  })
}

const MEANINGS: Readonly<Record<string, string>> = {
  already_invited: 'The ledger has an open invite for it. It will not be sent.',
  partly_invited: 'Some quizzes of this package are invited already. Plan the others as single invites.',
  duplicate: 'An earlier row has the same candidate and quiz.',
  invalid: 'It will not be sent.',
  unknown: `An earlier request may have created it. ${DO_NOT_CREATE_AGAIN}`,
}

async function planNow(
  session: Session,
  wanted: Plan['wanted'],
  signal: AbortSignal,
  looks: boolean,
): Promise<Planned> {
  return withPlan(session, wanted, signal, looks, async (planned) => planned)
}

/* Plans, and keeps the ledger open while `use` runs. */
async function withPlan<T>(
  { context, flags }: Session,
  wanted: Plan['wanted'],
  signal: AbortSignal,
  looks: boolean,
  use: (planned: Planned, flags: string) => Promise<T>,
): Promise<T> {
  const callbacks = await callbacksOf(context, flags)
  return withSender(context, { callbacks, looks }, async (sender) => {
    const service = context.connection().baseUrl.value ?? ''
    const planned = await planWanted(sender, wanted, { mostInvites: flags.maxInvites, signal, service })
    return use(planned, sender.place.flags)
  })
}

/** Why this server only plans, whatever the agent calls; `undefined` if it can also create. */
function whyItOnlyPlans({ server }: McpServer, session: Session): string | undefined {
  if (isReadOnly(session)) return 'This server only reads: a person sends invites with certify.'
  const canAsk = server.getClientCapabilities()?.elicitation?.form !== undefined
  if (canAsk || session.context.preferences.yes) return undefined
  return (
    'This client cannot ask a person to confirm a plan (elicitation), so this server only plans. A person sends the invites ' +
    'with certify, or starts the server with --yes, which leaves the confirmation to the client.'
  )
}

function addCreateTool(server: McpServer, session: Session): void {
  /* Later calls get the result of the first one, also while it runs. */
  const results = new Map<string, Promise<object>>()
  addTool(server, session, {
    name: 'create_planned_invites',
    description:
      'Creates the invites of a plan: the service e-mails real people, and nothing cancels an invite. Only if the person agreed. ' +
      'A repeated call returns the first results.',
    reads: false,
    input: { planId: z.string() },
    run: async ({ planId }, call) => {
      const obstacle = whyItOnlyPlans(server, session)
      if (obstacle !== undefined) {
        const hint = 'Do not call it again: the result stays the same. Show the plan to the person, and say so.'
        throw new CliError(`${obstacle} Nothing was sent.`, hint, { code: 'CONFIRMATION_UNAVAILABLE' })
      }
      const plan = session.plans.get(planId)
      if (plan === undefined) {
        const hint = 'Make a new plan. list_invites shows what was created before.'
        throw new CliError('this session has no such plan. Nothing was sent.', hint, { code: 'PLAN_NOT_FOUND' })
      }
      const running = results.get(planId) ?? confirmAndCreate(server, session, plan, call)
      results.set(planId, running)
      /* Nothing was sent: it may be called again. */
      running.catch(() => results.delete(planId))
      return running
    },
  })
}

/* Throws only before the first create. The check is the last step: a person may look at the question for minutes. */
async function confirmAndCreate(server: McpServer, session: Session, plan: Plan, call: Call): Promise<object> {
  if (!(await isConfirmed(server, session, plan, call.signal))) {
    session.plans.delete(plan.id)
    const hint = 'Do not ask again. The plan is void; if the person wants something else, make a new plan.'
    throw new CliError('the person declined the plan. Nothing was sent.', hint, { code: 'DECLINED' })
  }
  return withPlan(session, plan.wanted, call.signal, false, async (now, flags) => {
    if (!isUnchanged(plan, now)) {
      session.plans.delete(plan.id)
      const hint = 'Make a new plan, and show it to the person.'
      throw new CliError('the plan would be another one now. Nothing was sent.', hint, { code: 'PLAN_CHANGED' })
    }
    return createPlanned(session, now, flags, call)
  })
}

/* Longer than a person looks at a plan; nothing waits for it but this call. */
const PATIENCE_MS = 15 * 60_000

const ANSWER = {
  type: 'object' as const,
  properties: { send: { type: 'boolean' as const, title: 'Send these invites', default: false } },
  required: ['send'],
}

async function isConfirmed({ server }: McpServer, session: Session, plan: Plan, signal: AbortSignal): Promise<boolean> {
  if (session.context.preferences.yes) return true
  const params = { message: questionOf(plan), requestedSchema: ANSWER }
  const options = { signal: AbortSignal.any([signal, session.ending]), timeout: PATIENCE_MS }
  const { action, content } = await server
    .elicitInput(params, options)
    .catch(() => ({ action: 'cancel', content: undefined }))
  if (action !== 'cancel') return action === 'accept' && content?.['send'] === true
  const hint = 'Ask the person. Then call it again with the same plan id.'
  throw new CliError('the person did not confirm the plan. Nothing was sent.', hint, { code: 'NOT_CONFIRMED' })
}

/* One after the other. It ends early when a row fails or is unknown; what is being created is completed and recorded. */
async function createPlanned(session: Session, { campaign }: Planned, flags: string, { signal, progress }: Call) {
  const { runCampaign } = await import('../../src/campaign/index.ts')
  const done: (ReportedRow & { readonly meaning?: string | undefined })[] = []
  const planned = campaign.rows.filter(({ status }) => status === 'planned')
  const stopping = AbortSignal.any([signal, session.ending])
  for await (const event of runCampaign(campaign, {
    concurrency: 1,
    maxFailures: 1,
    maxOutageMs: 0,
    signal: stopping,
  })) {
    if (event.type !== 'row' || !planned.some(({ row }) => row === event.row)) continue
    const row = toReportedRow(event, true)
    const meaning =
      row.status === 'unknown' ? `${DO_NOT_CREATE_AGAIN} ${howAPersonResolves(row.reference, flags)}` : undefined
    /* If the ledger has no link, this is its only copy. */
    const isShown = session.flags.showLinks === true || event.error !== undefined
    done.push({ ...row, meaning, invites: isShown ? row.invites : row.invites.map(masked) })
    await progress(done.length, planned.length).catch(() => {})
  }
  const left = planned.filter(({ row }) => done.every((each) => each.row !== row))
  const rows = [...done, ...left.map((row) => toReportedRow(row, false, 'not_started'))]
  const created = rows.filter(({ status }) => status === 'created').length
  const unknown = rows.filter(({ status }) => status === 'unknown').length
  const warning = unknown === 0 ? '' : ` The outcome of ${unknown} is unknown. ${DO_NOT_CREATE_AGAIN}`
  return { message: `${created} of ${rows.length} were created.${warning}`, rows, isFailed: created < rows.length }
}

function masked({ challengeUrl, ...invite }: ReportedRow['invites'][number]) {
  return { ...invite, ...(challengeUrl !== undefined && { challengeUrl: maskLink(challengeUrl) }) }
}

function howAPersonResolves(reference: string | undefined, flags: string): string {
  return `A person asks the candidate or the service, and records it in a terminal: ${howToResolve(reference, flags)}.`
}

const MOST_ROWS = 200
const USUAL_ROWS = 50

function addLedgerTools(server: McpServer, session: Session): void {
  const { context, flags } = session
  const shown = (row: InviteRow) =>
    row.state === 'unknown' ? { ...row, whatToDo: howAPersonResolves(row.reference, context.place().flags) } : row
  addTool(server, session, {
    name: 'list_invites',
    description:
      'Lists the recorded invites, newest first. A state of unknown: it may have been created, and nothing may replace it.',
    reads: true,
    input: {
      email: text(),
      quizId: text(),
      packageId: text(),
      state: z.enum(LISTED_STATES).optional(),
      since: text().describe('7d, 2030-01-31 or 2030-01-31T09:00:00Z.'),
      limit: z.int().min(1).max(MOST_ROWS).optional(),
    },
    run: async ({ limit = USUAL_ROWS, since, ...given }) => {
      const { filter, includes } = readFilter(
        { ...given, since: since === undefined ? undefined : momentOf(since) },
        context.io.now(),
      )
      const rows: InviteRow[] = []
      const { filter: scope, description } = listedScope(context)
      await useLedger(context, async (ledger) => {
        for await (const entry of ledger.list({ ...scope, ...filter })) {
          rows.push(...inviteRowsOf(entry, flags.showLinks ?? false).filter(includes))
          if (rows.length > limit) break
        }
      })
      return {
        of: description || 'the whole ledger',
        hasMore: rows.length > limit,
        invites: rows.slice(0, limit).map(shown),
      }
    },
  })
  addTool(server, session, {
    name: 'view_invite',
    description: 'Shows all that is recorded of an invite: its state, its result, retakes and level-ups.',
    reads: true,
    input: { id: z.string().min(1).describe('The inviteId, or the reference of the create.') },
    run: async ({ id }) => {
      const found = await useLedger(context, async (ledger) => {
        const entries = await entriesOf(ledger, id)
        return entries.flatMap((entry) => {
          const rows = inviteRowsOf(entry, flags.showLinks ?? false)
          const named = rows.filter(({ inviteId }) => inviteId === id)
          return (named.length > 0 ? named : rows).map((row) => ({ ...shown(row), chains: chainsOf(row, entry) }))
        })
      })
      if (found.length > 0) return { invites: found }
      throw notFoundError('the ledger has no such invite or reference.', 'list_invites shows what it has.')
    },
  })
}
