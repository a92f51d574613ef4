import type { CertifyError } from './errors.ts'
import { inputInvalid } from './refusals.ts'
import type { OperationKind } from './transport/failures.ts'

/** A GraphQL document with the types of its result and its variables. Code generators make it in string mode. */
export type TypedDocument<Data, Variables> = (string | InstanceType<StringConstructor>) & {
  readonly __apiType?: ((variables: Variables) => Data) | undefined
}

/** A caller's own document, ready to be sent. */
export interface ReadDocument<Data, Variables> {
  readonly kind: OperationKind
  readonly hasOneField: boolean
  readonly document: { toString(): string; readonly __apiType?: ((variables: Variables) => Data) | undefined }
}

/** @throws CertifyError INPUT_INVALID, outcome `not-executed` */
export function readDocument<Data, Variables>(
  given: string | TypedDocument<Data, Variables>,
): ReadDocument<Data, Variables> {
  /* Generated documents are String objects, perhaps from another realm. */
  const text: unknown = Object.prototype.toString.call(given) === '[object String]' ? given.toString() : given
  if (typeof text !== 'string' || text.trim() === '') {
    throw refuse('document', 'must be a GraphQL document as a string; see print()')
  }
  return { kind: kindOf(text), hasOneField: hasOneField(text), document: { toString: () => text } }
}

/** @throws CertifyError INPUT_INVALID, outcome `not-executed` */
export function readVariables<Variables extends object>(given: Variables = {} as Variables): Variables {
  const isObject = typeof given === 'object' && (given as unknown) !== null && !Array.isArray(given)
  const copy = isObject ? copyOf(given) : undefined
  if (copy === undefined) throw refuse('variables', 'must be an object that can be written as JSON')
  return copy
}

/**
 * Whether a document is a query or a mutation. It counts as a mutation unless it is certainly a query: then no failure
 * of it is wrongly reported as `not-executed`.
 */
export function kindOf(document: string): OperationKind {
  let depth = 0
  for (const token of tokensOf(document)) {
    if ('{(['.includes(token)) depth += 1
    else if ('})]'.includes(token)) depth -= 1
    else if (depth === 0 && (token === 'mutation' || token === 'subscription')) return 'mutation'
  }
  return depth === 0 ? 'query' : 'mutation'
}

/**
 * Whether a document has one operation with one field. If that field is refused, nothing else can have been executed. A
 * fragment counts as several fields.
 */
export function hasOneField(document: string): boolean {
  const open: string[] = []
  let fields = 0
  let previous = ''
  for (const token of tokensOf(document)) {
    if ('{(['.includes(token)) open.push(token)
    if ('})]'.includes(token)) open.pop()
    const isRoot = open.length === 1 && open[0] === '{'
    if (isRoot && token === '...') return false
    /* An alias and its field count as one. The name of a directive does not count. */
    if (isRoot && /\w/.test(token) && previous !== ':' && previous !== '@') fields += 1
    previous = token
  }
  return fields === 1
}

/* Skips strings and comments. A string that is not closed ends its line, or the document: that takes linear time. */
function tokensOf(document: string): readonly string[] {
  const code = document.replaceAll(/"""(?:\\"""|[\s\S])*?(?:"""|$)|"(?:\\.|[^"\\\n])*"?|#[^\n\r]*/g, ' ')
  return code.match(/[{}()[\]:@]|\.\.\.|[_A-Za-z][_0-9A-Za-z]*/g) ?? []
}

/* A copy: the caller may change its object during the call. */
function copyOf<T>(value: T): T | undefined {
  try {
    return JSON.parse(JSON.stringify(value)) as T
  } catch {
    return undefined
  }
}

function refuse(path: string, rule: string): CertifyError {
  return inputInvalid('request', [{ path, rule }])
}
