import { executeSync, type GraphQLSchema, getOperationAST } from 'graphql'
import type { World } from '../world/world.ts'
import type { Dialect } from './dialect.ts'
import { Documents } from './documents.ts'
import { type CodedError, executionError, sentError } from './errors.ts'
import type { PlainAnswer, PlainRequest } from './exchange.ts'
import { accepted, isJson, type MediaType } from './media-type.ts'
import { type Parameters, parametersOf } from './parameters.ts'
import { type Context, operations } from './resolvers.ts'
import { schemaFor } from './schema.ts'

/** Answers GraphQL requests on one world, after the GraphQL-over-HTTP specification, by POST only. */
export class GraphQLEndpoint {
  readonly #world: World
  readonly #dialect: Dialect
  readonly #schema: GraphQLSchema
  readonly #documents: Documents

  constructor(world: World, dialect: Dialect) {
    this.#world = world
    this.#dialect = dialect
    this.#schema = schemaFor(dialect.refusedData)
    this.#documents = new Documents(this.#schema)
  }

  answer(request: PlainRequest, linkBase: string): PlainAnswer {
    if (request.method !== 'POST') return this.#rejected(405, 'Send GraphQL requests by POST.', { allow: 'POST' })
    const type = accepted(request.header('accept'))
    if (type === null) return this.#rejected(406, 'The answer is JSON: accept application/json.')
    if (!isJson(request.header('content-type'))) {
      const headers = { 'accept-post': 'application/json; charset=utf-8' }
      return this.#rejected(415, 'The body has to be application/json in UTF-8.', headers)
    }
    if (request.body === null) return this.#rejected(413, 'The body is larger than 1 MiB.')
    const parameters = parametersOf(request.body)
    if (typeof parameters === 'string') return this.#rejected(400, parameters)
    const credentials = { apiKey: request.header('x-api-key'), sessionToken: bearer(request.header('authorization')) }
    return this.#sent(this.#outcome(parameters, { world: this.#world, credentials, linkBase }), type)
  }

  #outcome(parameters: Parameters, contextValue: Context): Outcome {
    const checked = this.#documents.checked(parameters.query)
    if ('errors' in checked) return checked
    const { document } = checked
    const { operationName, variables: variableValues } = parameters
    if (!getOperationAST(document, operationName)) {
      const asked = operationName === null ? 'Several operations: operationName has to choose.' : 'No such operation.'
      return { errors: [{ code: 'OPERATION_RESOLUTION_FAILURE', message: asked }] }
    }
    const { data, errors = [] } = executeSync({
      schema: this.#schema,
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
    if (isHtml(this.#dialect, errors)) {
      return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, body: htmlPage(status) }
    }
    const body = {
      ...(errors.length > 0 && { errors: errors.map((error) => sentError(error, this.#placeOf(error))) }),
      ...(data !== undefined && { data }),
    }
    return { status, headers: { 'content-type': `${type}; charset=utf-8` }, body: JSON.stringify(body) }
  }

  #statusOf(data: unknown, errors: readonly CodedError[], type: MediaType): number {
    const has = (code: string): boolean => errors.some((error) => error.code === code)
    if (has('UNAUTHENTICATED')) return this.#dialect.unauthenticatedAnswer.endsWith('401') ? 401 : 200
    if (has('FORBIDDEN')) return this.#dialect.forbiddenAnswer.endsWith('403') ? 403 : 200
    if (errors.length > 0 && this.#dialect.errorStatus === 400) return 400
    return data === undefined && type === 'application/graphql-response+json' ? 400 : 200
  }

  #placeOf({ code }: CodedError): Dialect['errorCodePlace'] {
    const { unauthenticatedAnswer, forbiddenAnswer, errorCodePlace } = this.#dialect
    if (code === 'UNAUTHENTICATED' && unauthenticatedAnswer === 'graphql-200-without-code') return 'none'
    if (code === 'FORBIDDEN' && forbiddenAnswer === 'graphql-200-without-code') return 'none'
    return errorCodePlace
  }

  #rejected(status: number, message: string, headers: Readonly<Record<string, string>> = {}): PlainAnswer {
    const error = sentError({ code: 'BAD_REQUEST', message }, this.#dialect.errorCodePlace)
    return {
      status,
      headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
      body: JSON.stringify({ errors: [error] }),
    }
  }
}

/** What came of a request; without `data` where nothing was executed. */
interface Outcome {
  readonly data?: unknown
  readonly errors: readonly CodedError[]
}

function isHtml(dialect: Dialect, errors: readonly CodedError[]): boolean {
  return errors.some(
    ({ code }) =>
      (code === 'UNAUTHENTICATED' && dialect.unauthenticatedAnswer === 'html-401') ||
      (code === 'FORBIDDEN' && dialect.forbiddenAnswer === 'html-403'),
  )
}

function htmlPage(status: number): string {
  const title = status === 401 ? '401 Unauthorized' : '403 Forbidden'
  return `<!doctype html>\n<html lang="en"><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`
}

function bearer(authorization: string | null): string | null {
  return authorization?.replace(/^bearer +/i, '') ?? null
}
