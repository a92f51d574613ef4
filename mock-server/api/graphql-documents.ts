import { type DocumentNode, GraphQLError, type GraphQLSchema, parse, validate } from 'graphql'
import { MAX_TOKENS } from '../contract/limits.ts'
import { type CodedError, codedError } from './graphql-errors.ts'

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
    const document = parsed(source)
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

function parsed(source: string): DocumentNode | GraphQLError {
  try {
    return parse(source, { maxTokens: MAX_TOKENS })
  } catch (error) {
    return error instanceof GraphQLError ? error : new GraphQLError('The document is nested too deeply.')
  }
}
