import type { Command } from 'commander'
import type { CertifyClient, Fetch, Hooks } from '../src/index.ts'
import type { Connection } from './config/connection.ts'
import type { Preferences } from './config/settings.ts'
import type { Io } from './io.ts'
import type { Output } from './terminal/output.ts'
import type { Prompts } from './terminal/prompts.ts'

/** What a client is for. */
export type Purpose = 'read' | 'write' | 'check'

/** What a client may have that is not that of every command. */
export interface ClientChanges {
  readonly connection?: Connection
  readonly hooks?: Hooks
  /** Around what sends the requests. */
  readonly around?: (fetch: Fetch) => Fetch
}

/** What a command gets to work with. What needs the configuration reads it when it is asked for. */
export interface Context {
  readonly io: Io
  readonly preferences: Preferences
  readonly output: Output
  readonly prompts: Prompts
  /** The service, the key and the times that are set, each with where. */
  readonly connection: () => Connection
  /**
   * A client for that service, or for another one. One to write with sends nothing in a dry run: the call then ends the command, and its
   * request is printed. One to check with never sends: its calls fail, with INPUT_INVALID where the input is at fault.
   */
  readonly client: (purpose: Purpose, more?: ClientChanges) => Promise<CertifyClient>
  readonly program: Program
}

/** The whole command line. */
export interface Program {
  readonly root: Command
  /** The words of each command but the hidden ones, in the order of the help. */
  readonly names: readonly string[]
  /** The command that the words have led to so far. */
  readonly found: Command
  /** The command at the end of these words, with its flags; the group where they name one, `undefined` where nothing. */
  find(words: readonly string[]): Promise<Command | undefined>
  /** Runs another command line in place of this one. */
  run(argv: readonly string[]): Promise<void>
}

/** One command: adds its flags, its help and its action to the empty command that stands in the tree. */
export type DefineCommand = (command: Command, context: Context) => void
