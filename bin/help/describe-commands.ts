import type { Command } from 'commander'
import { longFlag, SETTINGS } from '../config/settings.ts'
import type { Program } from '../context.ts'
import { manualOf, refusedBy } from './manual.ts'

/** All commands and the common flags, for documents and programs. */
export type CommandDescriptions = Awaited<ReturnType<typeof describeCommands>>
export type CommandDescription = ReturnType<typeof describe>

export interface FlagDescription {
  readonly flags: string
  readonly summary: string
  readonly variable?: string
}

/** Loads every command and describes it. */
export async function describeCommands(program: Program) {
  const commands: CommandDescription[] = []
  for (const name of program.names) {
    const command = await program.find(name.split(' '))
    if (command !== undefined) commands.push(describe(name, command))
  }
  const flags: readonly FlagDescription[] = Object.values(SETTINGS).map((each) => {
    return { flags: each.flags, summary: each.summary, ...(each.variable !== undefined && { variable: each.variable }) }
  })
  return { flags, commands }
}

function describe(name: string, command: Command) {
  const manual = manualOf(command)
  if (manual === undefined) throw new Error(`${name} has no manual`)
  return {
    name,
    summary: command.description(),
    arguments: command.registeredArguments.map((argument) => ({
      name: argument.name(),
      required: argument.required,
      summary: argument.description,
    })),
    flags: command.options.map(({ flags, description }) => ({ flags, summary: description })),
    /** The common flags that it does not take. */
    refuses: refusedBy(manual).map(longFlag),
    manual,
  }
}
