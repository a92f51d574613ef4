import type { Outcome, PlainAnswer, PlainRequest } from '../api/exchange.ts'
import { gatewayPage } from '../api/gateway-page.ts'
import type { GraphQLEndpoint } from '../api/graphql-endpoint.ts'
import type { FaultDue } from './magic-faults.ts'

/** The outcome of a request that a fault hits, before or after the endpoint has executed it. */
export function faultOutcome(
  { fault, phase }: FaultDue,
  request: PlainRequest,
  endpoint: GraphQLEndpoint,
  answerTo: () => PlainAnswer,
): Outcome {
  // A late answer is the true one: its effect comes first.
  const isLate = typeof fault === 'object' && 'delayMs' in fault
  const answer =
    isLate || phase === 'after' ? answerTo() : endpoint.failure(request, 'INTERNAL_SERVER_ERROR', undefined)
  if (fault === 'cut' || fault === 'reset' || fault === 'hang') return { kind: fault }
  if (fault === 'stall' || fault === 'truncate') return { kind: fault, answer }
  if (typeof fault === 'number') return { kind: 'answer', answer: gatewayPage(fault) }
  if ('delayMs' in fault) return { kind: 'answer', answer, delayMs: Number(fault.delayMs) }
  if ('code' in fault) {
    const data = { absent: undefined, null: null, result: dataIn(answer) }[fault.data ?? 'absent']
    return { kind: 'answer', answer: endpoint.failure(request, fault.code, data) }
  }
  const { status, headers = {}, body = '' } = fault
  return { kind: 'answer', answer: { status, headers, body } }
}

/** The result in an answer, if it has one. */
function dataIn({ headers, body }: PlainAnswer): unknown {
  return headers['content-type']?.includes('json') ? (JSON.parse(body) as { data?: unknown }).data : undefined
}
