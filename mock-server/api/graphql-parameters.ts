export interface Parameters {
  readonly query: string
  readonly operationName: string | null
  readonly variables: Readonly<Record<string, unknown>>
}

/** The parameters in a body, or a message that says what is wrong with it. */
export function parametersOf(body: string): Parameters | string {
  const parsed = parsedJson(body)
  if (Array.isArray(parsed)) return 'The body is an array: batches are not supported, send one request at a time.'
  if (!isObject(parsed)) return 'The body has to be a JSON object with "query" and "variables".'
  if (hasHalfCharacter(body)) return HALF_CHARACTER
  return toParameters(parsed)
}

/** The parameters in a query string, or a message that says what is wrong with them. */
export function parametersIn(search: string): Parameters | string {
  if (!isUtf8(search)) return 'The address has to be UTF-8, percent-encoded.'
  const given = new URLSearchParams(search)
  const [variables, extensions] = [given.get('variables'), given.get('extensions')]
  if (hasHalfCharacter(variables ?? '')) return HALF_CHARACTER
  return toParameters({
    query: given.get('query'),
    // In a query string an empty name counts as none.
    operationName: given.get('operationName') || null,
    variables: variables === null ? null : parsedJson(variables),
    extensions: extensions === null ? null : parsedJson(extensions),
  })
}

function toParameters(given: Readonly<Record<string, unknown>>): Parameters | string {
  const { query, operationName = null, variables = null, extensions = null } = given
  if (typeof query !== 'string') return '"query" has to be a string: the GraphQL document.'
  if (operationName !== null && typeof operationName !== 'string') return '"operationName" has to be a string or null.'
  if (variables !== null && !isObject(variables)) return '"variables" has to be an object or null.'
  if (extensions !== null && !isObject(extensions)) return '"extensions" has to be an object or null.'
  return { query, operationName, variables: variables ?? {} }
}

const HALF_CHARACTER = 'A text has half of a surrogate pair: that is no character.'

/** The JSON value; the text itself where it is not JSON, which no parameter accepts either. */
function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Whether a text or a name in this JSON is not Unicode, which only an escape such as `"\ud800"` can cause. */
function hasHalfCharacter(json: string): boolean {
  if (!/\\u[dD][89a-fA-F]/.test(json)) return false
  let found = false
  try {
    JSON.parse(json, (name, value: unknown) => {
      found ||= HALF.test(name) || (typeof value === 'string' && HALF.test(value))
      return value
    })
  } catch {
    // Not JSON, or nested too deeply: then nothing in it fits the schema.
  }
  return found
}

const HALF = /\p{Surrogate}/u

function isUtf8(percentEncoded: string): boolean {
  try {
    decodeURIComponent(percentEncoded)
    return true
  } catch {
    return false
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
