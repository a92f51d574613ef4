import { type DocumentNode, GraphQLError, type GraphQLSchema, parse, validate } from 'graphql'
import { parseAccept } from 'hono/utils/accept'
import { MAX_TOKENS } from '../contract/limits.ts'

/* What a GraphQL request asks for: its media type, its parameters and its document. */

/** The media types of a response. With the older one, the status of every readable request is 200. */
export type MediaType = 'application/json' | 'application/graphql-response+json'

/** The media type that an `accept` header prefers, or `null` if it accepts neither. */
export function accepted(accept: string | null): MediaType | null {
  if (accept === null || accept.trim() === '') return 'application/json'
  const ranges = parseAccept(accept).map(({ type, q }) => ({ name: type.toLowerCase(), quality: q }))
  const acceptable = RESPONSE_TYPES.flatMap((type) => {
    /* The most specific range that matches a type decides (RFC 9110, 12.5.1), even with q=0. */
    const range = [type, 'application/*', '*/*'].flatMap((name) => ranges.find((each) => each.name === name) ?? [])[0]
    return range !== undefined && range.quality > 0 ? [{ type, rank: ranges.indexOf(range) }] : []
  })
  return acceptable.toSorted((a, b) => a.rank - b.rank)[0]?.type ?? null
}

/** Whether a `content-type` says JSON in UTF-8. */
export function isJson(contentType: string | null): boolean {
  const [name, ...parameters] = (contentType ?? '').toLowerCase().split(';')
  if (name?.trim() !== 'application/json') return false
  const charset = parameters.map((parameter) => /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/.exec(parameter)?.[1])
  return charset.every((value) => value === undefined || value === 'utf-8' || value === 'utf8')
}

const RESPONSE_TYPES = ['application/json', 'application/graphql-response+json'] as const

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

const MAX_DOCUMENTS = 100
const MAX_CACHED_CHARACTERS = 16_384

export type Checked = { readonly document: DocumentNode } | { readonly errors: readonly CodedError[] }

/** Parses and validates documents, and caches the most recently used ones. */
export class Documents {
  readonly #schema: GraphQLSchema
  readonly #recent = new Map<string, Checked>()

  constructor(schema: GraphQLSchema) {
    this.#schema = schema
  }

  checked(source: string): Checked {
    const checked = this.#recent.get(source) ?? this.#check(source)
    if (source.length <= MAX_CACHED_CHARACTERS) this.#remember(source, checked)
    return checked
  }

  #check(source: string): Checked {
    const document = parsedDocument(source)
    if (document instanceof GraphQLError) return { errors: [codedError(document, 'GRAPHQL_PARSE_FAILED')] }
    const errors = validate(this.#schema, document)
    if (errors.length === 0) return { document }
    return { errors: errors.map((error) => codedError(error, 'GRAPHQL_VALIDATION_FAILED')) }
  }

  /** A map keeps the order of insertion: its first entry is the least recently used. */
  #remember(source: string, checked: Checked): void {
    this.#recent.delete(source)
    this.#recent.set(source, checked)
    const [oldest] = this.#recent.keys()
    if (this.#recent.size > MAX_DOCUMENTS && oldest !== undefined) this.#recent.delete(oldest)
  }
}

function parsedDocument(source: string): DocumentNode | GraphQLError {
  try {
    return parse(source, { maxTokens: MAX_TOKENS })
  } catch (error) {
    return error instanceof GraphQLError ? error : new GraphQLError('The document is nested too deeply.')
  }
}

/** An error of a response, before its code is put in its place. */
export interface CodedError {
  readonly code: string
  readonly message: string
  readonly locations?: readonly { readonly line: number; readonly column: number }[]
  readonly path?: readonly (string | number)[]
}

export function codedError(error: GraphQLError, code: string): CodedError {
  const { message, locations, path } = error
  return { code, message, ...(locations && { locations }), ...(path && { path }) }
}
