import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  executeSync,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getArgumentValues,
  getVariableValues,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  locatedError,
  type OperationDefinitionNode,
  type SelectionSetNode,
  visit,
} from 'graphql'

/** What is to be executed: a document that is valid, and one operation in it. */
export interface Execution extends ExecutionArgs {
  readonly operation: OperationDefinitionNode
  /** A function for each field of the operation's type, by its name. */
  readonly rootValue: object
  readonly variableValues: { readonly [name: string]: unknown }
}

type Resolver = (args: object, context: unknown) => unknown

/**
 * Executes operations on one schema. What graphql-js finds out for each value anew, which fields of which types are asked
 * for, is found out once for each operation here; that makes most of the speed. Operations with directives, with
 * introspection or with a field called `__proto__` are left to graphql-js. Where a row lacks what it has to have, which is a
 * fault of the mock's own, the error names the operation and not the place in it.
 */
export class Executor {
  readonly #schema: GraphQLSchema
  readonly #plans = new WeakMap<OperationDefinitionNode, Plan | null>()

  constructor(schema: GraphQLSchema) {
    this.#schema = schema
  }

  execute(execution: Execution): ExecutionResult {
    const plan = this.#planOf(execution)
    if (plan === null) return executeSync(execution)
    const { operation, rootValue, contextValue, variableValues } = execution
    const given = getVariableValues(this.#schema, operation.variableDefinitions ?? [], variableValues, {
      maxErrors: 50,
    })
    if (given.errors) return { errors: given.errors }
    const resolvers = rootValue as Readonly<Record<string, Resolver>>
    return executed(plan, (name, args) => resolvers[name]?.(args, contextValue), given.coerced)
  }

  #planOf({ document, operation }: Execution): Plan | null {
    const known = this.#plans.get(operation)
    if (known !== undefined) return known
    const type = this.#schema.getRootType(operation.operation)
    const plan = type && isPlain(document) ? planOf(type, [operation.selectionSet], fragmentsIn(document)) : null
    this.#plans.set(operation, plan)
    return plan
  }
}

/** The fields of one place in an operation, in the order of the answer. */
type Plan = readonly PlannedField[]

interface PlannedField {
  /** What it is called in the answer. */
  readonly key: string
  readonly nodes: readonly [FieldNode, ...FieldNode[]]
  /** The name of the type it stands in, where it asks for that: `__typename`. */
  readonly typeName: string | null
  readonly field: GraphQLField<unknown, unknown> | undefined
  readonly complete: Complete
}

/** A value as it stands in the answer, out of the value that there is. */
type Complete = (value: unknown) => unknown

/** The first error where nothing may be missing ends all, as graphql-js has it. */
function executed(
  plan: Plan,
  resolve: (name: string, args: object) => unknown,
  variables: { readonly [name: string]: unknown },
): ExecutionResult {
  const errors: GraphQLError[] = []
  const data: Record<string, unknown> = {}
  for (const { key, nodes, typeName, field, complete } of plan) {
    try {
      data[key] = field ? complete(resolve(field.name, getArgumentValues(field, nodes[0], variables))) : typeName
    } catch (error) {
      errors.push(locatedError(error, nodes, [key]))
      if (isNonNullType(field?.type)) return { errors, data: null }
      data[key] = null
    }
  }
  return errors.length > 0 ? { errors, data } : { data }
}

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>

function planOf(type: GraphQLObjectType, sets: readonly SelectionSetNode[], fragments: Fragments): Plan {
  const fields = type.getFields()
  return Array.from(collected(sets, fragments), ([key, nodes]) => {
    const field = fields[nodes[0].name.value]
    const within = nodes.flatMap(({ selectionSet }) => selectionSet ?? [])
    const complete: Complete = field ? completeAs(field.type, within, fragments) : (value) => value
    return { key, nodes, typeName: field ? null : type.name, field, complete }
  })
}

/** The fields that are asked for, by what they are called in the answer. No type of the schema is abstract: every fragment fits. */
function collected(
  sets: readonly SelectionSetNode[],
  fragments: Fragments,
): ReadonlyMap<string, [FieldNode, ...FieldNode[]]> {
  const found = new Map<string, [FieldNode, ...FieldNode[]]>()
  const spread = new Set<string>()
  const collect = (set: SelectionSetNode | undefined): void => {
    for (const node of set?.selections ?? []) {
      if (node.kind === Kind.FIELD) {
        const key = node.alias?.value ?? node.name.value
        const nodes = found.get(key)
        if (nodes) nodes.push(node)
        else found.set(key, [node])
      } else if (node.kind === Kind.INLINE_FRAGMENT) {
        collect(node.selectionSet)
      } else if (!spread.has(node.name.value)) {
        spread.add(node.name.value)
        collect(fragments.get(node.name.value)?.selectionSet)
      }
    }
  }
  for (const set of sets) collect(set)
  return found
}

function completeAs(type: GraphQLOutputType, sets: readonly SelectionSetNode[], fragments: Fragments): Complete {
  if (isNonNullType(type)) {
    const complete = completeAs(type.ofType, sets, fragments)
    return (value) => present(complete(value))
  }
  if (isListType(type)) {
    const complete = completeAs(type.ofType, sets, fragments)
    return (value) => (isMissing(value) ? null : Array.from(value as Iterable<unknown>, (item) => complete(item)))
  }
  if (isLeafType(type)) return (value) => (isMissing(value) ? null : type.serialize(value))
  if (!isObjectType(type)) throw new Error('The schema has no abstract types.')
  const plan = planOf(type, sets, fragments)
  return (value) => (isMissing(value) ? null : rowOf(plan, value as Readonly<Record<string, unknown>>))
}

function rowOf(plan: Plan, value: Readonly<Record<string, unknown>>): object {
  const row: Record<string, unknown> = {}
  for (const { key, typeName, field, complete } of plan) row[key] = field ? complete(value[field.name]) : typeName
  return row
}

function present(value: unknown): unknown {
  if (value === null) throw new Error('Something is missing that has to be there.')
  return value
}

function isMissing(value: unknown): boolean {
  return value === null || value === undefined
}

function isPlain(document: DocumentNode): boolean {
  let plain = true
  const spoil = (): void => {
    plain = false
  }
  visit(document, {
    Directive: spoil,
    Field({ name, alias }) {
      if (RESERVED.has(name.value) || alias?.value === '__proto__') spoil()
    },
  })
  return plain
}

const RESERVED: ReadonlySet<string> = new Set(['__schema', '__type'])

function fragmentsIn({ definitions }: DocumentNode): Fragments {
  return new Map(
    definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [])),
  )
}
