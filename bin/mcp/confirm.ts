import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { printable } from '../terminal/printable.ts'
import { CliError } from '../cli-error.ts'
import type { Plan, PlannedInvite } from './plan.ts'
import { isReadOnly, type Session } from './session.ts'

/* Longer than a person looks at a plan; nothing waits for it but this call. */
const PATIENCE_MS = 15 * 60_000

/** Why this server only plans, whatever the agent calls; `undefined` if it can also send. */
export function whyItOnlyPlans({ server }: McpServer, session: Session): string | undefined {
  if (isReadOnly(session)) return 'This server only reads: a person sends invites with certify.'
  const canAsk = server.getClientCapabilities()?.elicitation?.form !== undefined
  if (canAsk || session.context.preferences.yes.value) return undefined
  return (
    'This client cannot ask a person to confirm a plan (elicitation), so this server only plans. A person sends the invites ' +
    'with certify, or starts the server with --yes, which leaves the confirmation to the client.'
  )
}

/**
 * Asks the person, unless --yes is set. Resolves with whether the plan may be sent.
 *
 * @throws CliError NOT_CONFIRMED if the question was not answered
 */
export async function isConfirmed(
  { server }: McpServer,
  { context, ending }: Session,
  plan: Plan,
  signal: AbortSignal,
): Promise<boolean> {
  if (context.preferences.yes.value) return true
  const params = { message: questionOf(plan), requestedSchema: ANSWER }
  const { action, content } = await server
    .elicitInput(params, { signal: AbortSignal.any([signal, ending]), timeout: PATIENCE_MS })
    .catch(() => {
      throw notConfirmed()
    })
  if (action === 'cancel') throw notConfirmed()
  return action === 'accept' && content?.['send'] === true
}

function notConfirmed(): CliError {
  return new CliError(
    'the person did not confirm the plan. Nothing was sent.',
    'Ask the person. Then call it again with the same plan id.',
    { code: 'NOT_CONFIRMED' },
  )
}

const ANSWER = {
  type: 'object' as const,
  properties: { send: { type: 'boolean' as const, title: 'Send these invites', default: false } },
  required: ['send'],
}

function questionOf({ service, account, rows }: Plan): string {
  const planned = rows.filter(({ status }) => status === 'planned')
  const lines = planned.map((row) => `- ${printable(lineOf(row))}`)
  return `Send these invites through ${service}, account ${account}? certify cannot cancel them.\n${lines.join('\n')}`
}

/* Everything that the agent chose. */
function lineOf(row: PlannedInvite): string {
  const { email, name, quizId, packageId, title, invites, externalReference, sendsEmail, problems } = row
  const who = name === null ? email : `${name} <${email}>`
  const what = `${title ?? 'not listed by the service'} (${quizId ?? packageId ?? ''})`
  const count = packageId === null ? '' : `, ${invites} invites`
  const reference = externalReference === null ? '' : `, external reference ${externalReference}`
  const mail = sendsEmail ? 'with e-mail' : 'without e-mail'
  return `${who}: ${what}${count}${reference}, ${mail}${problems.map((each) => `; ${each}`).join('')}`
}
