/** What a GraphQL request asks for. */
export interface Parameters {
  readonly query: string
  readonly operationName: string | null
  readonly variables: Readonly<Record<string, unknown>>
}

/** The parameters in a body, or in words what is wrong with it. */
export function parametersOf(body: string): Parameters | string {
  const parsed = parsedJson(body)
  if (Array.isArray(parsed)) return 'The body is an array: batches are not supported, send one request at a time.'
  if (!isObject(parsed)) return 'The body has to be a JSON object with "query" and "variables".'
  const { query, operationName = null, variables = null, extensions = null } = parsed
  if (typeof query !== 'string') return '"query" has to be a string: the GraphQL document.'
  if (operationName !== null && typeof operationName !== 'string') return '"operationName" has to be a string or null.'
  if (variables !== null && !isObject(variables)) return '"variables" has to be an object or null.'
  if (extensions !== null && !isObject(extensions)) return '"extensions" has to be an object or null.'
  return { query, operationName, variables: variables ?? {} }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
