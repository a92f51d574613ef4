import {
  type DocumentNode,
  executeSync,
  getOperationAST,
  GraphQLError,
  type GraphQLSchema,
  OperationTypeNode,
} from 'graphql'
import type { BehaviourSwitches } from '../generated/contract.ts'
import { type OperationName, OPERATIONS } from '../generated/operations.ts'
import { type Clock, durationMs } from '../world/clock.ts'
import { Refusal } from '../world/refusal.ts'
import type { World } from '../world/world.ts'
import {
  type Context,
  gatewayPage,
  type PlainResponse,
  type PlainRequest,
  type Selected,
  type SelectedOperation,
} from './exchange.ts'
import {
  accepted,
  type CodedError,
  codedError,
  Documents,
  isJson,
  type MediaType,
  type Parameters,
  parametersIn,
  parametersOf,
} from './graphql-request.ts'
import { operations } from './resolvers.ts'
import { schemaFor } from './schema.ts'

export const METHODS: ReadonlySet<string> = new Set(['GET', 'POST'])

/** Answers GraphQL requests on one world, per the GraphQL-over-HTTP specification: all by POST, queries by GET too. */
export class GraphQLEndpoint {
  readonly #world: World
  readonly #behaviour: BehaviourSwitches
  readonly #documents: Documents
  readonly #limit: RateLimit
  /** Built when a fault or the request log first needs it. */
  #tolerant: GraphQLSchema | undefined

  constructor(world: World, behaviour: BehaviourSwitches) {
    this.#world = world
    this.#behaviour = behaviour
    // Which operations may be null does not affect the validity of a document.
    this.#documents = new Documents(schemaFor('null'))
    this.#limit = new RateLimit(world.clock, behaviour)
  }

  /** Counts the requests of the rate limit from the beginning. */
  resetLimit(): void {
    this.#limit.reset()
  }

  respond(request: PlainRequest, linkBase: string): PlainResponse {
    const seconds = this.#limit.retryAfter(request)
    if (seconds !== null) {
      const { operations: refused } = this.selected(request)
      const errors = [{ code: 'RATE_LIMITED', message: `Too many requests: send the next in ${seconds} s.` }]
      const response = this.#sent(
        { errors, operations: refused },
        accepted(request.header('accept')) ?? 'application/json',
      )
      return { ...response, status: 429, headers: { ...response.headers, 'retry-after': String(seconds) } }
    }
    const read = this.#read(request)
    if ('status' in read) return read
    const credentials = { apiKey: request.header('x-api-key'), sessionToken: bearer(request.header('authorization')) }
    return this.#sent(this.#execute(read.parameters, { world: this.#world, credentials, linkBase }), read.type)
  }

  /** The operations that a request selects; executes nothing. */
  selected(request: PlainRequest): Selected {
    const apiKey = request.header('x-api-key')
    const key = this.#world.apiKeys.find((known) => known.key === apiKey)?.name ?? null
    const read = this.#read(request)
    if ('status' in read) return { key, operations: [] }
    const checked = this.#documents.checked(read.parameters.query)
    if ('errors' in checked) return { key, operations: [] }
    this.#tolerant ??= schemaFor('partial')
    return { key, operations: selectedOperations(this.#tolerant, checked.document, read.parameters) }
  }

  /** The response to this request with an error that does not come from the world; executes nothing. */
  failure(request: PlainRequest, code: string, data: unknown): PlainResponse {
    const errors = [{ code, message: 'This error comes from a fault rule.' }]
    return this.#sent(
      { ...(data !== undefined && { data }), errors },
      accepted(request.header('accept')) ?? 'application/json',
    )
  }

  /** The parameters of a request, or the response to a request that cannot be executed. */
  #read(request: PlainRequest): Readable | PlainResponse {
    if (!METHODS.has(request.method)) {
      return this.#rejected(405, 'Send GraphQL requests by POST.', { allow: [...METHODS].join(', ') })
    }
    const type = accepted(request.header('accept'))
    if (type === null) return this.#rejected(406, 'The response is JSON: accept application/json.')
    const parameters = request.method === 'GET' ? this.#parametersByGet(request) : this.#parametersByPost(request)
    return 'status' in parameters ? parameters : { parameters, type }
  }

  #parametersByPost(request: PlainRequest): Parameters | PlainResponse {
    if (!isJson(request.header('content-type'))) {
      const headers = { 'accept-post': 'application/json; charset=utf-8' }
      return this.#rejected(415, 'The body must be application/json in UTF-8.', headers)
    }
    if (!/^(identity)?$/i.test(request.header('content-encoding') ?? '')) {
      const headers = { 'accept-encoding': 'identity' }
      return this.#rejected(415, 'The body must not be compressed: leave content-encoding out.', headers)
    }
    if (request.unreadable === 'not-utf-8') return this.#rejected(400, 'The body is not UTF-8.')
    if (request.body === null) return this.#rejected(413, 'The body is larger than 1 MiB.')
    const parameters = parametersOf(request.body)
    return typeof parameters === 'string' ? this.#rejected(400, parameters) : parameters
  }

  /** A mutation by GET is refused: browsers and previews follow addresses unasked. */
  #parametersByGet({ target }: PlainRequest): Parameters | PlainResponse {
    const [, search = ''] = /\?([^#]*)/.exec(target) ?? []
    const parameters = parametersIn(search)
    if (typeof parameters === 'string') return this.#rejected(400, parameters)
    const checked = this.#documents.checked(parameters.query)
    const operation = 'document' in checked ? getOperationAST(checked.document, parameters.operationName) : null
    if (operation?.operation !== OperationTypeNode.MUTATION) return parameters
    return this.#rejected(405, 'Only queries are executed by GET: send mutations by POST.', { allow: 'POST' })
  }

  #execute(parameters: Parameters, contextValue: Context): Execution {
    const checked = this.#documents.checked(parameters.query)
    if ('errors' in checked) return checked
    const { document } = checked
    const { operationName, variables: variableValues } = parameters
    if (!getOperationAST(document, operationName)) {
      const message =
        operationName === null ? 'Several operations: operationName must choose one.' : 'No such operation.'
      return { errors: [{ code: 'OPERATION_RESOLUTION_FAILURE', message }] }
    }
    const selected: SelectedOperation[] = []
    const { data, errors = [] } = executeSync({
      schema: schemaFor(this.#behaviour.refusedData),
      document,
      rootValue: noting(selected, operations as unknown as Record<OperationName, Resolver>),
      contextValue,
      variableValues,
      operationName,
    })
    return { ...(data !== undefined && { data }), errors: errors.map(executionError), operations: selected }
  }

  #sent({ data, errors, operations: selected = [] }: Execution, type: MediaType): PlainResponse {
    const done = { operations: selected, refusal: errors[0] ?? null }
    const style = this.#styleOf(errors)
    const status = style ? Number(/\d+/.exec(style)) : this.#statusOf(data, errors, type)
    if (style?.startsWith('html')) return { ...gatewayPage(status), done }
    const body = {
      ...(errors.length > 0 && { errors: errors.map((error) => sentError(error, this.#placeOf(error))) }),
      ...(data !== undefined && { data }),
    }
    return { status, headers: { 'content-type': `${type}; charset=utf-8` }, body: JSON.stringify(body), done }
  }

  #statusOf(data: unknown, errors: readonly CodedError[], type: MediaType): number {
    if (errors.length > 0 && this.#behaviour.errorStatus === 400) return 400
    return data === undefined && type === 'application/graphql-response+json' ? 400 : 200
  }

  /** How the switches refuse a caller without a key or a scope; `null` for any other response. */
  #styleOf(errors: readonly CodedError[]) {
    const { unauthenticatedResponse, forbiddenResponse } = this.#behaviour
    if (errors.some(({ code }) => code === 'UNAUTHENTICATED')) return unauthenticatedResponse
    return errors.some(({ code }) => code === 'FORBIDDEN') ? forbiddenResponse : null
  }

  #placeOf(error: CodedError): BehaviourSwitches['errorCodePlace'] {
    return this.#styleOf([error]) === 'graphql-200-without-code' ? 'none' : this.#behaviour.errorCodePlace
  }

  #rejected(status: number, message: string, headers: Readonly<Record<string, string>> = {}): PlainResponse {
    const refusal = { code: 'BAD_REQUEST', message }
    return {
      status,
      headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
      body: JSON.stringify({ errors: [sentError(refusal, this.#behaviour.errorCodePlace)] }),
      done: { operations: [], refusal },
    }
  }
}

interface Readable {
  readonly parameters: Parameters
  readonly type: MediaType
}

/** The result of a request; without `data` where nothing was executed. */
interface Execution {
  readonly data?: unknown
  readonly errors: readonly CodedError[]
  readonly operations?: readonly SelectedOperation[]
}

/** The token of an admin session; `null` for any scheme but Bearer. */
function bearer(authorization: string | null): string | null {
  return /^bearer +(.+)$/i.exec(authorization ?? '')?.[1] ?? null
}

/** Counts the requests of each key, or session, in periods of the world's clock. */
class RateLimit {
  readonly #clock: Clock
  readonly #behaviour: Pick<BehaviourSwitches, 'rateLimit'>
  readonly #windows = new Map<string, { until: number; requests: number }>()

  constructor(clock: Clock, behaviour: Pick<BehaviourSwitches, 'rateLimit'>) {
    this.#clock = clock
    this.#behaviour = behaviour
  }

  /** After how many seconds a request over the limit may be sent again; `null` if it may pass. */
  retryAfter(request: PlainRequest): number | null {
    const { rateLimit } = this.#behaviour
    if (rateLimit === 'none') return null
    const { requests, per } = rateLimit
    const caller = request.header('x-api-key') ?? request.header('authorization') ?? ''
    const now = this.#clock.now()
    const known = this.#windows.get(caller)
    const window = known && now < known.until ? known : { until: now + durationMs(per), requests: 0 }
    this.#windows.set(caller, window)
    window.requests += 1
    return window.requests <= requests ? null : Math.ceil((window.until - now) / 1000)
  }

  reset(): void {
    this.#windows.clear()
  }
}

/**
 * The operations that a valid document would execute. It is executed with resolvers that only note their names, so that
 * aliases, fragments, directives and variables count. In the schema every operation is nullable: none ends the others.
 */
function selectedOperations(
  schema: GraphQLSchema,
  document: DocumentNode,
  { operationName, variables }: Parameters,
): SelectedOperation[] {
  const selected: SelectedOperation[] = []
  executeSync({ schema, document, rootValue: noting(selected), variableValues: variables, operationName })
  return selected
}

/** Resolvers that note which operations run, and run those. */
function noting(selected: SelectedOperation[], resolvers: Partial<Record<OperationName, Resolver>> = {}) {
  const resolverOf = (name: OperationName): Resolver => {
    return (args, context) => {
      const { candidate, quizId, packageId } = args.input ?? {}
      selected.push({ name, email: candidate?.email ?? null, subject: quizId ?? packageId ?? null })
      return resolvers[name]?.(args, context) ?? null
    }
  }
  return Object.fromEntries(OPERATIONS.map((name) => [name, resolverOf(name)]))
}

/** An operation, with the arguments that any of them may have. */
type Resolver = (args: Arguments, context: Context) => unknown

interface Arguments {
  readonly input?: {
    readonly candidate?: { readonly email: string }
    readonly quizId?: string
    readonly packageId?: string
  }
}

/**
 * Codes an error of the execution. A refusal of the world has its own code. Arguments that graphql-js rejects are the
 * caller's error. Anything else is a bug of the mock, whose message is not sent.
 */
export function executionError(error: GraphQLError): CodedError {
  const { originalError } = error
  if (originalError instanceof Refusal) return codedError(error, originalError.code)
  if (originalError === undefined || originalError instanceof GraphQLError) return codedError(error, 'BAD_USER_INPUT')
  return { ...codedError(error, 'INTERNAL_SERVER_ERROR'), message: 'Internal server error.' }
}

/** The error as it is sent, with its code in the place that the switch `errorCodePlace` says. */
function sentError(error: CodedError, place: BehaviourSwitches['errorCodePlace']): object {
  const { code, ...rest } = error
  if (place === 'none') return rest
  return place === 'top-level' ? { ...rest, code } : { ...rest, extensions: { code } }
}
