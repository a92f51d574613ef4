import type { Outcome, PlainAnswer, PlainRequest } from '../../api/exchange.ts'
import { gatewayPage } from '../../api/gateway-page.ts'
import type { GraphQLEndpoint } from '../../api/graphql-endpoint.ts'
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
  switch (fault) {
    case 'cut':
    case 'reset':
    case 'hang':
      return { kind: fault }
    case 'stall':
    case 'truncate':
      return { kind: fault, answer }
    default:
      return { kind: 'answer', ...answerWith(fault, answer, request, endpoint) }
  }
}

function answerWith(
  fault: Exclude<FaultDue['fault'], string>,
  answer: PlainAnswer,
  request: PlainRequest,
  endpoint: GraphQLEndpoint,
): { readonly answer: PlainAnswer; readonly delayMs?: number } {
  if (typeof fault === 'number') return { answer: gatewayPage(fault) }
  if ('delayMs' in fault) return { answer, delayMs: fault.delayMs }
  if ('code' in fault) {
    const data = { absent: undefined, null: null, result: dataIn(answer) }[fault.data ?? 'absent']
    return { answer: endpoint.failure(request, fault.code, data) }
  }
  const { status, headers = {}, body = '' } = fault
  return { answer: { status, headers, body } }
}

/** The result in an answer, if it has one. */
function dataIn({ headers, body }: PlainAnswer): unknown {
  return headers['content-type']?.includes('json') ? (JSON.parse(body) as { data?: unknown }).data : undefined
}
