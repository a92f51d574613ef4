import type { Command, Option } from 'commander'
import { longFlag, SETTINGS } from '../config/settings.ts'
import type { Program } from '../context.ts'
import { type Manual, manualOf, refusedBy } from './manual.ts'

/** A flag, as documents and programs need it. */
export interface FlagDescription {
  readonly flags: string
  readonly summary: string
  readonly variable?: string
}

/** A command with all that can be said of it. */
export interface CommandDescription {
  /** The words that call it. */
  readonly name: string
  readonly summary: string
  readonly arguments: readonly { readonly name: string; readonly required: boolean; readonly summary: string }[]
  readonly flags: readonly FlagDescription[]
  /** Those of the common flags that it does not take. */
  readonly refuses: readonly string[]
  readonly manual: Manual
}

/** All commands, and the common flags. */
export interface CommandDescriptions {
  readonly flags: readonly FlagDescription[]
  readonly commands: readonly CommandDescription[]
}

/** Loads every command and describes it. */
export async function describeCommands(program: Program): Promise<CommandDescriptions> {
  const commands: CommandDescription[] = []
  for (const name of program.names) {
    const command = await program.find(name.split(' '))
    if (command !== undefined) commands.push(describe(name, command))
  }
  const flags = Object.values(SETTINGS).map((each) => ({
    flags: each.flags,
    summary: each.summary,
    variable: each.variable,
  }))
  return { flags, commands }
}

function describe(name: string, command: Command): CommandDescription {
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
    flags: command.options.map(({ flags, description }: Option) => ({ flags, summary: description })),
    refuses: refusedBy(manual).map(longFlag),
    manual,
  }
}
