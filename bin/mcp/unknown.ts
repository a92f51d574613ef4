import type { LedgerPlace } from '../config/ledger.ts'
import { resolveCommand, resolveFlags } from '../ledger/resolve-hints.ts'

/** What a person does about a send whose outcome is unknown. No tool does it: an agent cannot know what became of it. */
export function howToResolve(reference: string, place: LedgerPlace): string {
  return (
    'Ask the candidate whether an e-mail came, or the service by the reference and the time. Then a person records it in a ' +
    `terminal: ${resolveFlags(resolveCommand(reference, place))}.`
  )
}
