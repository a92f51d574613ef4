import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  parse,
  type SelectionSetNode,
  validate,
} from 'graphql'
import { MAX_FIELDS, MAX_TOKENS } from '../limits.ts'
import { type CodedError, codedError } from './graphql-errors.ts'

const MAX_DOCUMENTS = 100
const MAX_CACHED_CHARACTERS = 16_384

export type Checked = { readonly document: DocumentNode } | { readonly errors: readonly CodedError[] }

/** Parses and validates documents, and caches the ones used last. */
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
    if (errors.length === 0) return isSmall(document) ? { document } : { errors: [TOO_LARGE] }
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

const TOO_LARGE: CodedError = {
  code: 'GRAPHQL_VALIDATION_FAILED',
  message: `With its fragments expanded, the document selects more than ${MAX_FIELDS} fields.`,
}

/** Few tokens can select millions of fields by nested fragments. Validation has excluded fragments in themselves. */
function isSmall({ definitions }: DocumentNode): boolean {
  const fragments = new Map<string, SelectionSetNode>()
  for (const node of definitions) {
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node.selectionSet)
  }
  const counted = new Map<SelectionSetNode, number>()
  const fieldsIn = (set: SelectionSetNode): number => {
    const known = counted.get(set)
    if (known !== undefined) return known
    let fields = 0
    // As in execution, a fragment counts once where it is spread several times in one place.
    const spread = new Set<string>()
    const collect = ({ selections }: SelectionSetNode): void => {
      for (const node of selections) {
        if (node.kind === Kind.FIELD) {
          fields += 1 + (node.selectionSet ? fieldsIn(node.selectionSet) : 0)
        } else if (node.kind === Kind.INLINE_FRAGMENT) {
          collect(node.selectionSet)
        } else if (!spread.has(node.name.value)) {
          spread.add(node.name.value)
          collect(fragments.get(node.name.value) ?? { kind: Kind.SELECTION_SET, selections: [] })
        }
      }
    }
    collect(set)
    counted.set(set, fields)
    return fields
  }
  return definitions.every(
    (node) => node.kind !== Kind.OPERATION_DEFINITION || fieldsIn(node.selectionSet) <= MAX_FIELDS,
  )
}
