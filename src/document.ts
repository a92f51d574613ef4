import type { CertifyError } from './errors.ts'
import { inputInvalid } from './refusals.ts'
import type { OperationKind } from './transport/failures.ts'

/** A GraphQL document with the types of its result and its variables. Code generators make it in string mode. */
export type TypedDocument<Data, Variables> = (string | InstanceType<StringConstructor>) & {
  readonly __apiType?: ((variables: Variables) => Data) | undefined
}

/** @throws CertifyError INPUT_INVALID, outcome `not-executed` */
export function readDocument<Data, Variables>(given: string | TypedDocument<Data, Variables>) {
  /* Generated documents are String objects, perhaps from another realm. */
  const text: unknown = Object.prototype.toString.call(given) === '[object String]' ? given.toString() : given
  if (typeof text !== 'string' || text.trim() === '') {
    throw refuse('document', 'must be a GraphQL document as a string; see print()')
  }
  return { kind: kindOf(text), document: text as TypedDocument<Data, Variables> }
}

/** @throws CertifyError INPUT_INVALID, outcome `not-executed` */
export function readVariables<Variables extends object>(given: Variables = {} as Variables): Variables {
  /* A copy: the caller may change its object during the call. */
  const copy = throughJson(given)
  if (typeof copy === 'object' && copy !== null && !Array.isArray(copy)) return copy as Variables
  throw refuse('variables', 'must be an object that can be written as JSON')
}

/* A document counts as a mutation unless it is certainly a query: no failure is wrongly reported as `not-executed`. */
function kindOf(document: string): OperationKind {
  return /^\s*(query\b|\{)/.test(document) && !/\b(mutation|subscription)\b/.test(document) ? 'query' : 'mutation'
}

function throughJson(value: object): unknown {
  try {
    return JSON.parse(JSON.stringify(value))
  } catch {
    return undefined
  }
}

function refuse(path: string, rule: string): CertifyError {
  return inputInvalid('request', [{ path, rule }])
}
