import { CliError, notFoundError } from '../cli-error.ts'
import { isAgent } from '../config/settings.ts'
import type { DefineCommand } from '../context.ts'
import { addManual } from '../help.ts'

export const define: DefineCommand = (command, context) => {
  addManual(command.argument('<plan>', 'the planId that an agent shows'), {
    about:
      'Shows exactly what the plan would send, and asks. For 15 minutes the agent may send it, once; if anything has changed ' +
      'by then, nothing is sent. Only a person at a terminal can approve: --yes does not count.',
    output: 'nothing.',
    examples: ['certify approve plan_7f0c1d5e-0000-4000-8000-000000000000'],
    guide: 'agents.md',
  }).action(async (id: string) => {
    const { io, prompts, output } = context
    if (isAgent(io.env)) {
      throw new CliError('an agent cannot approve a plan.', 'A person runs this in a terminal of their own.')
    }
    const { Plans } = await import('../mcp/plans.ts')
    const { questionOf } = await import('../mcp/plan.ts')
    const plans = new Plans(context)
    const plan = plans.find(id)
    if (plan === undefined) {
      throw notFoundError('there is no such plan, or it was sent.', 'Ask the agent for a new plan.')
    }
    await output.show(() => `${questionOf(plan)}\n`)
    await prompts.confirm('Approve it for 15 minutes?', 'A person approves it at a terminal.')
    plans.approve(id)
    await output.remark('Approved. Tell the agent to send it.')
  })
}
