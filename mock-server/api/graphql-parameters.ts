export interface Parameters {
  readonly query: string
  readonly operationName: string | null
  readonly variables: Readonly<Record<string, unknown>>
}

/** The parameters in a body, or a message that says what is wrong with it. */
export function parametersOf(body: string): Parameters | string {
  const parsed = parsedJson(body)
  if (Array.isArray(parsed)) return 'The body is an array: batches are not supported, send one request at a time.'
  if (!isObject(parsed)) return 'The body must be a JSON object with "query" and "variables".'
  return toParameters(parsed)
}

/** The parameters in a query string, or a message that says what is wrong with them. */
export function parametersIn(search: string): Parameters | string {
  const given = new URLSearchParams(search)
  const [variables, extensions] = [given.get('variables'), given.get('extensions')]
  return toParameters({
    query: given.get('query'),
    // In a query string, an empty name counts as absent.
    operationName: given.get('operationName') || null,
    variables: variables === null ? null : parsedJson(variables),
    extensions: extensions === null ? null : parsedJson(extensions),
  })
}

function toParameters(given: Readonly<Record<string, unknown>>): Parameters | string {
  const { query, operationName = null, variables = null, extensions = null } = given
  if (typeof query !== 'string') return '"query" must be a string: the GraphQL document.'
  if (operationName !== null && typeof operationName !== 'string') return '"operationName" must be a string or null.'
  if (variables !== null && !isObject(variables)) return '"variables" must be an object or null.'
  if (extensions !== null && !isObject(extensions)) return '"extensions" must be an object or null.'
  return { query, operationName, variables: variables ?? {} }
}

/** The JSON value; the text itself if it is not JSON, which no parameter accepts either. */
function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
