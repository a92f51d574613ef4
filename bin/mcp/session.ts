import type { Context } from '../context.ts'
import type { CallbackFlags } from '../callbacks/callback-urls.ts'
import { type LedgerFlags, type LedgerPlace, readLedgerPlace } from '../config/ledger.ts'
import type { Plan } from './plan.ts'

/** The flags of `certify mcp`. */
export interface McpFlags extends LedgerFlags, CallbackFlags {
  readonly maxInvites: number
  readonly readOnly?: boolean
  readonly showLinks?: boolean
}

/** What the tools of one server share. */
export interface Session {
  readonly context: Context
  readonly flags: McpFlags
  /** The plans of this session by their ids. */
  readonly plans: Map<string, Plan>
  /** The calls in progress. */
  readonly running: Set<Promise<unknown>>
  /** Aborted when the client or a signal ends the server: no further create begins, and nobody is asked. */
  readonly ending: AbortSignal
}

/** Whether there is no tool that creates. */
export function isReadOnly({ context, flags }: Pick<Session, 'context' | 'flags'>): boolean {
  return flags.readOnly === true || context.preferences.dryRun.value
}

export function placeOf({ context, flags }: Pick<Session, 'context' | 'flags'>): LedgerPlace {
  return readLedgerPlace(context.io, context.program.root.opts(), flags)
}
