import { executeSync, type GraphQLSchema, getOperationAST, OperationTypeNode } from 'graphql'
import type { BehaviourSwitches } from '../generated/contract.ts'
import type { World } from '../world/world.ts'
import type { Context, PlainAnswer, PlainRequest, Selected } from './exchange.ts'
import { gatewayPage } from './gateway-page.ts'
import { Documents } from './graphql-documents.ts'
import { type CodedError, executionError, sentError } from './graphql-errors.ts'
import { type Parameters, parametersIn, parametersOf } from './graphql-parameters.ts'
import { accepted, isJson, type MediaType } from './media-type.ts'
import { operations } from './resolvers.ts'
import { schemaFor } from './schema.ts'
import { selectedOperations } from './selected-operations.ts'

export const METHODS: ReadonlySet<string> = new Set(['GET', 'POST'])

/** Answers GraphQL requests on one world, per the GraphQL-over-HTTP specification: all by POST, queries by GET too. */
export class GraphQLEndpoint {
  readonly #world: World
  readonly #behaviour: BehaviourSwitches
  readonly #documents: Documents
  /** Built when a fault or the request log first needs it. */
  #tolerant: GraphQLSchema | undefined

  constructor(world: World, behaviour: BehaviourSwitches) {
    this.#world = world
    this.#behaviour = behaviour
    // Which operations may be null does not affect the validity of a document.
    this.#documents = new Documents(schemaFor('null'))
  }

  answer(request: PlainRequest, linkBase: string): PlainAnswer {
    const read = this.#read(request)
    if ('status' in read) return read
    const credentials = { apiKey: request.header('x-api-key'), sessionToken: bearer(request.header('authorization')) }
    return this.#sent(this.#outcome(read.parameters, { world: this.#world, credentials, linkBase }), read.type)
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

  /** The names of the operations that a request selects, whoever sends it. */
  operationsIn({ method, target, body }: Pick<PlainRequest, 'method' | 'target' | 'body'>): string[] {
    return this.selected({ method, target, header: jsonHeader, body }).operations.map(({ name }) => name)
  }

  /** The answer to this request with an error that does not come from the world; executes nothing. */
  failure(request: PlainRequest, code: string, data: unknown): PlainAnswer {
    const errors = [{ code, message: 'This error comes from a fault rule.' }]
    return this.#sent(
      { ...(data !== undefined && { data }), errors },
      accepted(request.header('accept')) ?? 'application/json',
    )
  }

  /** The parameters of a request, or the answer to a request that cannot be executed. */
  #read(request: PlainRequest): Readable | PlainAnswer {
    if (!METHODS.has(request.method)) {
      return this.#rejected(405, 'Send GraphQL requests by POST.', { allow: [...METHODS].join(', ') })
    }
    const type = accepted(request.header('accept'))
    if (type === null) return this.#rejected(406, 'The answer is JSON: accept application/json.')
    const parameters = request.method === 'GET' ? this.#parametersByGet(request) : this.#parametersByPost(request)
    return 'status' in parameters ? parameters : { parameters, type }
  }

  #parametersByPost(request: PlainRequest): Parameters | PlainAnswer {
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
  #parametersByGet({ target }: PlainRequest): Parameters | PlainAnswer {
    const [, search = ''] = /\?([^#]*)/.exec(target) ?? []
    const parameters = parametersIn(search)
    if (typeof parameters === 'string') return this.#rejected(400, parameters)
    const checked = this.#documents.checked(parameters.query)
    const operation = 'document' in checked ? getOperationAST(checked.document, parameters.operationName) : null
    if (operation?.operation !== OperationTypeNode.MUTATION) return parameters
    return this.#rejected(405, 'Only queries are executed by GET: send mutations by POST.', { allow: 'POST' })
  }

  #outcome(parameters: Parameters, contextValue: Context): Outcome {
    const checked = this.#documents.checked(parameters.query)
    if ('errors' in checked) return checked
    const { document } = checked
    const { operationName, variables: variableValues } = parameters
    if (!getOperationAST(document, operationName)) {
      const message =
        operationName === null ? 'Several operations: operationName must choose one.' : 'No such operation.'
      return { errors: [{ code: 'OPERATION_RESOLUTION_FAILURE', message }] }
    }
    const { data, errors = [] } = executeSync({
      schema: schemaFor(this.#behaviour.refusedData),
      document,
      rootValue: operations,
      contextValue,
      variableValues,
      operationName,
    })
    return { ...(data !== undefined && { data }), errors: errors.map(executionError) }
  }

  #sent({ data, errors }: Outcome, type: MediaType): PlainAnswer {
    const status = this.#statusOf(data, errors, type)
    if (isHtml(this.#behaviour, errors)) return gatewayPage(status)
    const body = {
      ...(errors.length > 0 && { errors: errors.map((error) => sentError(error, this.#placeOf(error))) }),
      ...(data !== undefined && { data }),
    }
    return { status, headers: { 'content-type': `${type}; charset=utf-8` }, body: JSON.stringify(body) }
  }

  #statusOf(data: unknown, errors: readonly CodedError[], type: MediaType): number {
    const has = (code: string): boolean => errors.some((error) => error.code === code)
    if (has('UNAUTHENTICATED')) return this.#behaviour.unauthenticatedAnswer.endsWith('401') ? 401 : 200
    if (has('FORBIDDEN')) return this.#behaviour.forbiddenAnswer.endsWith('403') ? 403 : 200
    if (errors.length > 0 && this.#behaviour.errorStatus === 400) return 400
    return data === undefined && type === 'application/graphql-response+json' ? 400 : 200
  }

  #placeOf({ code }: CodedError): BehaviourSwitches['errorCodePlace'] {
    const { unauthenticatedAnswer, forbiddenAnswer, errorCodePlace } = this.#behaviour
    if (code === 'UNAUTHENTICATED' && unauthenticatedAnswer === 'graphql-200-without-code') return 'none'
    if (code === 'FORBIDDEN' && forbiddenAnswer === 'graphql-200-without-code') return 'none'
    return errorCodePlace
  }

  #rejected(status: number, message: string, headers: Readonly<Record<string, string>> = {}): PlainAnswer {
    const error = sentError({ code: 'BAD_REQUEST', message }, this.#behaviour.errorCodePlace)
    return {
      status,
      headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
      body: JSON.stringify({ errors: [error] }),
    }
  }
}

interface Readable {
  readonly parameters: Parameters
  readonly type: MediaType
}

/** The outcome of a request; without `data` where nothing was executed. */
interface Outcome {
  readonly data?: unknown
  readonly errors: readonly CodedError[]
}

function isHtml(behaviour: BehaviourSwitches, errors: readonly CodedError[]): boolean {
  return errors.some(
    ({ code }) =>
      (code === 'UNAUTHENTICATED' && behaviour.unauthenticatedAnswer === 'html-401') ||
      (code === 'FORBIDDEN' && behaviour.forbiddenAnswer === 'html-403'),
  )
}

/** A look-up of headers with the content type that a body needs. */
function jsonHeader(name: string): string | null {
  return name === 'content-type' ? 'application/json' : null
}

/** The token of an admin session; `null` for any scheme but Bearer. */
function bearer(authorization: string | null): string | null {
  return /^bearer +(.+)$/i.exec(authorization ?? '')?.[1] ?? null
}
