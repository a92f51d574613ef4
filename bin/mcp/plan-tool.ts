import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import * as z from 'zod'
import { whyItOnlyPlans } from './confirm.ts'
import { lookIntoLedger } from './look-into-ledger.ts'
import { inviteRowSchema } from './ledger-tools.ts'
import { newPlan, type Planned, type WantedInvite } from './plan.ts'
import { planInvites } from './plan-invites.ts'
import type { Session } from './session.ts'
import { addTool, READS } from './tool.ts'

const text = z.string().nullable()

/** The dry run that every create needs. */
export function addPlanTool(server: McpServer, session: Session): void {
  const { maxInvites } = session.flags
  const invite = z.strictObject({
    email: z.string().describe("The candidate's e-mail address."),
    name: z.string().optional().describe("The candidate's name."),
    quizId: z
      .string()
      .optional()
      .describe('For a single invite: the quiz, as view_track shows it. Not with packageId.'),
    packageId: z
      .string()
      .optional()
      .describe('For one invite to each skill of a package, as view_track shows it. Not with quizId.'),
    sendEmail: z.boolean().optional().describe('Whether the service sends e-mails. Default: true.'),
    externalReference: z.string().optional().describe('A reference of your own. Only with quizId.'),
  })
  addTool(server, session, {
    name: 'plan_invites',
    title: 'Plan invites',
    description:
      'Says exactly what would be sent, to whom, and what the ledger has for each candidate. It sends nothing. Show the result to ' +
      `the person. A plan creates at most ${maxInvites} invites; a package counts with each of its skills.`,
    annotations: { ...READS, openWorldHint: true },
    input: { invites: z.array(invite).min(1).max(maxInvites) },
    output: z.looseObject({
      planId: text.describe(
        'What create_planned_invites needs; null if there is nothing to send, or this server only plans.',
      ),
      message: z.string(),
      service: z.string(),
      account: z.string(),
      ledger: z.string(),
      callbackHost: text,
      rows: z.array(
        z.looseObject({
          number: z.number(),
          status: z.string(),
          meaning: z.string(),
          email: z.string(),
          name: text,
          quizId: text,
          packageId: text,
          title: text,
          isListed: z.boolean().nullable(),
          invites: z.number().nullable(),
          sendsEmail: z.boolean(),
          externalReference: text,
          problems: z.array(z.string()),
          duplicateOf: z.number().nullable(),
          inLedger: z.array(inviteRowSchema).describe('What the ledger has for this candidate and quiz or package.'),
        }),
      ),
    }),
    run: async ({ invites }, { signal }) => {
      const planned = await lookIntoLedger(session, (opened) =>
        planInvites(session, opened, invites.map(wantedOf), signal),
      )
      const { rows, inLedger, isLedgerEmpty: _isEmpty, accountWarning: _warning, ...outline } = planned
      const obstacle = whyItOnlyPlans(server, session)
      const isSendable = obstacle === undefined && rows.some(({ status }) => status === 'planned')
      const plan = isSendable ? newPlan(planned) : undefined
      if (plan !== undefined) session.plans.set(plan.id, plan)
      return {
        value: {
          planId: plan?.id ?? null,
          message: messageOf(planned, obstacle),
          ...outline,
          rows: rows.map((row, index) => ({ ...row, inLedger: inLedger[index] ?? [] })),
        },
      }
    },
  })
}

interface Given {
  readonly email: string
  readonly name?: string | undefined
  readonly quizId?: string | undefined
  readonly packageId?: string | undefined
  readonly sendEmail?: boolean | undefined
  readonly externalReference?: string | undefined
}

function wantedOf({ email, name, quizId, packageId, sendEmail = true, externalReference }: Given): WantedInvite {
  return {
    email,
    name: name || null,
    quizId: quizId ?? null,
    packageId: packageId ?? null,
    sendsEmail: sendEmail,
    externalReference: externalReference || null,
  }
}

function messageOf({ rows, isLedgerEmpty, accountWarning }: Planned, obstacle: string | undefined): string {
  const planned = rows.filter(({ status }) => status === 'planned')
  const count = planned.reduce((sum, { invites }) => sum + (invites ?? 0), 0)
  const sentences = [
    `${planned.length} of ${rows.length} rows would be sent, as ${count} invites. Nothing was sent.`,
    ...(planned.some(({ isListed }) => isListed === false)
      ? ['The service does not list some of the identifiers now: compare them with view_track.']
      : []),
    ...(isLedgerEmpty ? ['The ledger has nothing on record yet: invites from elsewhere are not known.'] : []),
    ...(accountWarning === undefined ? [] : [`Warning: ${accountWarning}`]),
  ]
  if (planned.length === 0) return sentences.join(' ')
  const next = 'Show this to the person. If they agree, call create_planned_invites with the planId.'
  return [...sentences, obstacle ?? next].join(' ')
}
