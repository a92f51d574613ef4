import { runRequest } from '../node_modules/graphql-request/build/legacy/helpers/runRequest.js'

type Request = Parameters<typeof runRequest>[0]
type Config = Pick<Request, 'headers' | 'fetch'> & Request['fetchOptions']

/*
 * Replaces two classes of graphql-request. The client has the one method that the SDK uses, which leaves all work to the
 * library. The library's own has four more, and reads documents with the package `graphql`, which would be four fifths of
 * the SDK. Here a document is a string, and the name of its operation is not needed.
 */
export class GraphQLClient {
  readonly #url: string
  readonly #config: Config

  constructor(url: string, config: Config) {
    this.#url = url
    this.#config = config
  }

  async rawRequest(expression: string, variables: Record<string, unknown>) {
    const { headers, fetch, ...fetchOptions } = this.#config as Config & Required<Config>
    const request = { _tag: 'Single', variables, document: { expression, isMutation: false } } as const
    const result = await runRequest({ url: this.#url, request, headers, fetch, fetchOptions })
    if (result instanceof Error) throw result
    return result
  }
}

/* Without a message: the library's has the whole request and response, and nobody reads it. */
export class ClientError extends Error {
  readonly response: object

  constructor(response: object) {
    super()
    this.response = response
  }
}
