import { addCallbackFlags, CALLBACKS_NOTE } from '../callbacks/callback-urls.ts'
import type { DefineCommand } from '../context.ts'
import { wholeNumber } from '../flags.ts'
import { addManual } from '../help/manual.ts'
import { addLedgerFlags, addShowLinks, UNENCRYPTED } from '../ledger/flags.ts'
import type { McpFlags } from '../mcp/session.ts'

export const define: DefineCommand = (command, context) => {
  command
    .option('--max-invites <number>', 'the most invites of a plan', wholeNumber(1, 100), 20)
    .option('--read-only', 'no tool that creates')
  addManual(addShowLinks(addCallbackFlags(addLedgerFlags(command))), context, {
    notes: [
      'For AI agents: a server of the Model Context Protocol on stdin and stdout. A client, such as an editor or a desktop ' +
        'assistant, starts it. Its tools list and view tracks, plan invites, create what was planned, and list what the ' +
        'ledger has.',
      'No invite is sent without a plan, which says what would be sent, to whom, and what the ledger has. The ledger is always on: ' +
        'each invite of a plan is sent at most once, also if the agent repeats its call. The person confirms each plan ' +
        'in the client. Where the client cannot ask (elicitation), nothing is sent, unless --yes leaves the confirmation to it.',
      'A send whose outcome is unknown is never sent again. No tool records what became of it: a person does, with certify ' +
        'invites resolve.',
      CALLBACKS_NOTE,
      'It ends when the client closes stdin, or by Ctrl-C, SIGTERM or SIGHUP; the exit code is then 0. A create in progress is ' +
        'completed and recorded first.',
      UNENCRYPTED,
    ],
    output: 'the messages of the protocol. Everything else goes to stderr.',
    words: {
      yes: 'send without asking the person; leaves the confirmation to the client',
      json: 'errors at the start as one JSON object',
    },
    examples: ['certify mcp', 'certify mcp --read-only', 'certify mcp --profile sandbox --max-invites 5'],
  }).action(async (flags: McpFlags) => {
    await context.output.remark(
      'This serves an AI agent on stdin and stdout; its client starts it. Stop it with Ctrl-C.',
    )
    const { serve } = await import('../mcp/serve.ts')
    await serve(context, flags)
  })
}
