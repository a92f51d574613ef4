import type { Command } from 'commander'
import { type ClientChanges, createClient, DryRun, type Purpose } from './client.ts'
import { profileFlag, readConnection } from './config/connection.ts'
import { readLedgerPlace } from './config/ledger-place.ts'
import { readPreferences } from './config/settings.ts'
import type { Io } from './io.ts'
import { createOutput } from './terminal/output.ts'
import { createPrompts } from './terminal/prompts.ts'

/** Adds the options, the help and the action of one command. */
export type DefineCommand = (command: Command, context: Context) => void

export type Context = ReturnType<typeof createContext>

export interface Program {
  readonly root: Command
  /** The names of the visible commands, in the order of the help. */
  readonly names: readonly string[]
  /** The command that the parsed words have led to so far. */
  readonly current: Command
  /** With which the program ends, unless it fails. */
  exitCode: number
  /** Loads the command or the group with this name. */
  find(words: readonly string[]): Promise<Command | undefined>
  /** Runs another command line instead of this one. */
  run(argv: readonly string[]): Promise<void>
}

/** What a command works with. Each setting is read once, on first use. */
export function createContext(io: Io, program: Program) {
  const { root } = program
  const preferences = lazy(() => readPreferences(program.current, io.env))
  const output = lazy(() => createOutput(io, preferences()))
  const prompts = lazy(() => createPrompts(io, preferences()))
  const connection = lazy(() => readConnection(io, root))
  const dryRun = new DryRun()
  return {
    io,
    program,
    /** Sentences for the error of this command, if it fails. */
    notes: [] as string[],
    dryRun,
    get preferences() {
      return preferences()
    },
    get output() {
      return output()
    },
    get prompts() {
      return prompts()
    },
    connection,
    /** The place of the ledger, according to the options of the command. */
    place: lazy(() => readLedgerPlace(io, root, program.current)),
    /** The flag that a command in a hint needs for the same profile; empty if it needs none. */
    get profileFlag() {
      return profileFlag(root)
    },
    client: (purpose: Purpose, changes: ClientChanges = {}) =>
      createClient({ io, preferences, output, connection, profileFlag: profileFlag(root), dryRun }, purpose, changes),
  }
}

function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
