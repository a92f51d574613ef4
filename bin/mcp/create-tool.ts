import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import * as z from 'zod'
import { CliError } from '../cli-error.ts'
import { isConfirmed, whyItOnlyPlans } from './confirm.ts'
import { DO_NOT_SEND_AGAIN } from './failure.ts'
import { lookIntoLedger } from './look-into-ledger.ts'
import { isUnchanged, type Plan } from './plan.ts'
import { planInvites } from './plan-invites.ts'
import { type SentPlan, sendPlan } from './send-plan.ts'
import type { Session } from './session.ts'
import { addTool, type Call } from './tool.ts'

const text = z.string().nullable()

/** The only tool that sends. It needs a plan, and always has the ledger. */
export function addCreateTool(server: McpServer, session: Session): void {
  /* Later calls get the result of the first one, also while it runs. */
  const sent = new Map<string, Promise<SentPlan>>()
  addTool(server, session, {
    name: 'create_planned_invites',
    title: 'Create the planned invites',
    description:
      'Sends the invites of a plan. The service e-mails real people, and certify cannot cancel an invite: call it only if the ' +
      'person agreed to this plan. Each invite is sent at most once and recorded in the ledger. A repeated call with the same ' +
      'planId sends nothing and returns the first results. Never send an invite with status unknown again.',
    /* It adds, and removes nothing. But no tool undoes it. */
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
    input: { planId: z.string().describe('The planId that plan_invites returned in this session.') },
    output: z.looseObject({
      planId: z.string(),
      message: z.string(),
      rows: z.array(
        z.looseObject({
          number: z.number(),
          status: z.enum(['created', 'already_invited', 'refused', 'failed', 'unknown', 'not_sent']),
          meaning: z.string(),
          email: z.string(),
          quizId: text,
          packageId: text,
          reference: text,
          invites: z.array(
            z.looseObject({
              inviteId: z.string(),
              status: text,
              challengeUrl: z.string(),
              expiresAt: text,
              emailSent: z.boolean().nullable(),
              quizId: text,
              skillName: text,
              level: text,
            }),
          ),
          error: z
            .looseObject({ code: z.string(), outcome: z.string(), message: z.string(), hint: z.string() })
            .nullable(),
        }),
      ),
    }),
    run: async ({ planId }, call) => {
      const obstacle = whyItOnlyPlans(server, session)
      if (obstacle !== undefined) {
        const hint = 'Do not call it again: the result stays the same. Show the plan to the person, and say so.'
        throw new CliError(`${obstacle} Nothing was sent.`, hint, { code: 'CONFIRMATION_UNAVAILABLE' })
      }
      const plan = session.plans.get(planId)
      if (plan === undefined) {
        const hint = 'Make a new plan. The ledger shows what was sent before: list_invites.'
        throw new CliError('this session has no such plan. Nothing was sent.', hint, { code: 'PLAN_NOT_FOUND' })
      }
      let sending = sent.get(planId)
      if (sending === undefined) {
        sending = checkAndSend(server, session, plan, call)
        sent.set(planId, sending)
        /* Nothing was sent: it may be called again. */
        sending.catch(() => sent.delete(planId))
      }
      const rows = await sending
      const isFailed = rows.some(({ status }) => status !== 'created')
      return { value: { planId, message: messageOf(rows), rows }, isFailed }
    },
  })
}

/* Throws only before the first create. The check is the last step: a person may look at the question for minutes. */
async function checkAndSend(server: McpServer, session: Session, plan: Plan, call: Call): Promise<SentPlan> {
  if (!(await isConfirmed(server, session, plan, call.signal))) {
    session.plans.delete(plan.id)
    const hint = 'Do not ask again. The plan is void; if the person wants something else, make a new plan.'
    throw new CliError('the person declined the plan. Nothing was sent.', hint, { code: 'DECLINED' })
  }
  const now = await lookIntoLedger(session, (opened) => planInvites(session, opened, plan.rows, call.signal))
  if (!isUnchanged(plan, now)) {
    session.plans.delete(plan.id)
    const hint = 'Make a new plan, and show it to the person.'
    throw new CliError('the plan would be another one now. Nothing was sent.', hint, { code: 'PLAN_CHANGED' })
  }
  return sendPlan(session, plan, call)
}

function messageOf(rows: SentPlan): string {
  const count = (status: SentPlan[number]['status']) => rows.filter((row) => row.status === status).length
  const [created, unknown] = [count('created'), count('unknown')]
  const others = rows.length - created - unknown
  return [
    `${created} of ${rows.length} were created.`,
    ...(unknown > 0 ? [`The outcome of ${unknown} is unknown. ${DO_NOT_SEND_AGAIN}`] : []),
    ...(others > 0 ? [`${others} were not created: each row says why.`] : []),
  ].join(' ')
}
