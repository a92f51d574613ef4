import type { Command } from 'commander'
import { type ClientChanges, createClient, type DryRun, type Purpose } from './client.ts'
import { type Connection, profileFlag, readConnection } from './config/connection.ts'
import { type LedgerPlace, readLedgerPlace } from './config/ledger-place.ts'
import { type Preferences, readPreferences } from './config/settings.ts'
import type { Io } from './io.ts'
import { createOutput, type Output } from './terminal/output.ts'
import { createPrompts, type Prompts } from './terminal/prompts.ts'

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
export function createContext(io: Io, program: Program, dryRun: DryRun) {
  const { root } = program
  const preferences = lazy((): Preferences => readPreferences(program.current, io.env))
  const output = lazy((): Output => createOutput(io, preferences()))
  const prompts = lazy((): Prompts => createPrompts(io, preferences()))
  const connection = lazy((): Connection => readConnection(io, root))
  const place = lazy((): LedgerPlace => readLedgerPlace(io, root, program.current))
  /* Sentences for the error of this command, if it fails. */
  const notes: string[] = []
  const context = {
    io,
    program,
    notes,
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
    place,
    /** The flag that a command in a hint needs for the same profile; empty if it needs none. */
    get profileFlag() {
      return profileFlag(root)
    },
    client: (purpose: Purpose, changes: ClientChanges = {}) =>
      createClient({ io, preferences, output, connection, profileFlag: profileFlag(root), dryRun }, purpose, changes),
  }
  return context
}

function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
