/* The library's entry offers this step only inside its whole client, which is nearly twice as large. */
import { runRequest } from '../../node_modules/graphql-request/build/legacy/helpers/runRequest.js'
import type { Answer } from './guarded-fetch.ts'

/** One error of a GraphQL result: its code, where it has one, and the service's own words. */
export interface GraphQLFault {
  readonly code: string | undefined
  readonly message: string
}

/** A GraphQL result, or as much of one as there was. */
export interface GraphQLResult {
  readonly answer: Answer
  /** `undefined` where the result had no `data`: the request was refused before it was executed. */
  readonly data?: unknown
  readonly faults: readonly GraphQLFault[]
}

/**
 * Runs one request through graphql-request: its body out by `send`, a whole answer back. Nothing of that library gets
 * out of this file: its errors hold the candidate's data in their very message.
 *
 * @throws Interruption where `send` does
 */
export async function runGraphQL(
  endpoint: string,
  expression: string,
  variables: object,
  send: (body: string) => Promise<Answer>,
): Promise<GraphQLResult> {
  let answer: Answer | undefined
  try {
    const result = await runRequest({
      url: endpoint,
      request: { _tag: 'Single', document: { expression, isMutation: true }, variables },
      fetchOptions: { errorPolicy: 'all', jsonSerializer },
      fetch: async (_url, init) => {
        /* It is what our own serializer made. */
        answer = await send(init?.body as string)
        return asResponse(answer)
      },
    })
    const { data, errors } = result instanceof Error ? result.response : result
    return { answer: answer as unknown as Answer, data, faults: readFaults(errors) }
  } catch (error) {
    if (answer === undefined) throw error
    return { answer, faults: [] }
  }
}

const jsonSerializer = { stringify: JSON.stringify, parse: parseResult }

/* Whatever its content type says, an answer that parses is read: it may hold the only copy of a link. */
function asResponse({ status, ok, text }: Answer): Response {
  return { status, ok, headers: JSON_HEADERS, text: () => text } as unknown as Response
}

const JSON_HEADERS = { get: () => 'application/json' }

/** Parses a result and leaves out what servers send as null although GraphQL wants it absent. */
function parseResult(text: string): unknown {
  const result: unknown = JSON.parse(text)
  if (typeof result !== 'object' || result === null || Array.isArray(result)) throw new Error('not a GraphQL result')
  const { data, errors } = result as GraphQLAnswer
  const read: GraphQLAnswer = {}
  if (data !== undefined) read.data = data
  if (errors !== undefined && errors !== null) read.errors = typeof errors === 'object' ? errors : [errors]
  return read
}

interface GraphQLAnswer {
  data?: unknown
  errors?: unknown
}

function readFaults(errors: unknown): readonly GraphQLFault[] {
  const list = errors === undefined ? [] : Array.isArray(errors) ? errors : [errors]
  return list.map((error: unknown) => {
    const { message, code, extensions } = asRecord(error)
    const given = asRecord(extensions)['code'] ?? code
    return {
      /* A code reaches messages and logs, so it has to look like one: no sentence, no address. */
      code: typeof given === 'string' && /^\w{1,64}$/.test(given) ? given : undefined,
      message: typeof message === 'string' ? message : '',
    }
  })
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
