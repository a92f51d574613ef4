import type { Command } from 'commander'
import type { CertifyClient } from '../../src/index.ts'
import type { Io } from '../io.ts'
import type { Output } from '../terminal/output.ts'

/** What a command gets to work with. */
export interface Context {
  readonly io: Io
  readonly output: Output
  /** A client for the service that flags and environment name. */
  readonly client: () => Promise<CertifyClient>
}

/** One command: adds its flags, its help and its action to the empty command that stands in the tree. */
export type DefineCommand = (command: Command, context: Context) => void
