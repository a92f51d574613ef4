import { addCallbackOptions } from '../callbacks/callback-urls.ts'
import { addLedgerOptions } from '../config/settings.ts'
import type { DefineCommand } from '../context.ts'
import { wholeNumber } from '../flags.ts'
import { addManual } from '../help.ts'
import type { McpFlags } from '../mcp/session.ts'

export const define: DefineCommand = (command, context) => {
  command
    .option('--max-invites <number>', 'the maximum number of invites in a plan; default: 20', wholeNumber(1, 100), 20)
    .option('--read-only', 'offer no tool that creates')
    .option('--show-links', 'show links unmasked: anyone who has one can use it')
  addManual(addCallbackOptions(addLedgerOptions(command)), {
    about:
      'A client, such as an editor, starts it, and talks to it over stdin and stdout. A person confirms each plan in the ' +
      'client; where it cannot ask, nothing is sent unless --yes leaves the confirmation to the client.',
    output: 'the messages of the protocol. Everything else goes to stderr.',
    advancedOptions: '--callbacks --callback-base-url --account',
    examples: ['certify mcp --read-only', 'certify mcp --profile sandbox --max-invites 5'],
    guide: 'agents.md',
  }).action(async (flags: McpFlags) => {
    await context.output.remark(
      'This serves an AI agent on stdin and stdout; its client starts it. Stop it with Ctrl-C.',
    )
    const { serve } = await import('../mcp/serve.ts')
    await serve(context, flags)
  })
}
