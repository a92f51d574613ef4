import type { Outcome, PlainAnswer, PlainRequest } from '../api/exchange.ts'
import { htmlPage } from '../api/gateway-page.ts'
import type { GraphQLEndpoint } from '../api/graphql-endpoint.ts'
import type { FaultDue } from './magic-faults.ts'

/** What comes of a request that a fault hits, before or after the endpoint has executed it. */
export function broken(
  { fault, phase }: FaultDue,
  request: PlainRequest,
  endpoint: GraphQLEndpoint,
  answerTo: () => PlainAnswer,
): Outcome {
  // A late answer is the true one: the effect is there before it.
  const isLate = typeof fault === 'object' && 'delayMs' in fault
  const answer =
    isLate || phase === 'after' ? answerTo() : endpoint.failure(request, 'INTERNAL_SERVER_ERROR', undefined)
  if (fault === 'cut' || fault === 'reset' || fault === 'hang') return { kind: fault }
  if (fault === 'stall' || fault === 'truncate') return { kind: fault, answer }
  if (typeof fault === 'number') return { kind: 'answer', answer: htmlPage(fault) }
  if ('delayMs' in fault) return { kind: 'answer', answer, delayMs: Number(fault.delayMs) }
  if ('code' in fault) {
    const data = { absent: undefined, null: null, result: dataIn(answer) }[fault.data ?? 'absent']
    return { kind: 'answer', answer: endpoint.failure(request, fault.code, data) }
  }
  const { status, headers = {}, body = '' } = fault
  return { kind: 'answer', answer: { status, headers, body } }
}

/** The result that an answer brings along, if it is one that can. */
function dataIn({ headers, body }: PlainAnswer): unknown {
  return headers['content-type']?.includes('json') ? (JSON.parse(body) as { data?: unknown }).data : undefined
}
