import type { PlainRequest, Selected } from '../../api/exchange.ts'
import type { Fault } from '../../generated/contract.ts'
import { magicName } from '../../world/magic-addresses.ts'

export interface FaultDue {
  readonly fault: Fault
  readonly phase: 'before' | 'after'
}

/**
 * The faults of requests that invite a magic address, for tests that can only send requests. The invite to
 * `cut-after+7@candidate.test` is created, and its answer is lost.
 */
const MAGIC_FAULTS: ReadonlyMap<string, FaultDue> = new Map<string, FaultDue>([
  ['cut-before', { phase: 'before', fault: 'cut' }],
  ['cut-after', { phase: 'after', fault: 'cut' }],
  ['hang', { phase: 'after', fault: 'hang' }],
  ['slow', { phase: 'after', fault: { delayMs: 3000 } }],
  ['garbled', { phase: 'after', fault: 'truncate' }],
  ['down', { phase: 'before', fault: 503 }],
  ['limited', { phase: 'before', fault: { status: 429, headers: { 'retry-after': '1' } } }],
])

/** The fault of the first magic address in this request, or `null`. */
export function magicFault(request: PlainRequest, selected: () => Selected): FaultDue | null {
  if (!request.body || !LIKELY.test(request.body)) return null
  for (const { email } of selected().operations) {
    const due = MAGIC_FAULTS.get(magicName(email ?? '') ?? '')
    if (due) return due
  }
  return null
}

const LIKELY = /@candidate\.test/i
