import type { ClientError as WholeError, GraphQLClient as WholeClient } from 'graphql-request'
// @ts-expect-error the package exports its entry alone; the build finds the files behind it
import { ClientError as Refused } from 'graphql-request/build/legacy/classes/ClientError.js'
// @ts-expect-error as above
import { runRequest as send } from 'graphql-request/build/legacy/helpers/runRequest.js'

/*
 * What src/ uses of graphql-request: one request at a time, its document a string. The library still writes, sends and
 * reads it; what stays out is batches, middleware, and further ways to ask for the same.
 */
const runRequest = send as (request: object) => Promise<object>
export const ClientError = Refused as typeof WholeError

type RequestConfig = WholeClient['requestConfig']

export class GraphQLClient {
  readonly #url: string
  readonly #config: RequestConfig

  constructor(url: string, config: RequestConfig) {
    this.#url = url
    this.#config = config
  }

  async rawRequest(expression: string, variables: object, headers: Readonly<Record<string, string>>): Promise<object> {
    const { fetch, excludeOperationName: _excluded, ...fetchOptions } = this.#config
    const request = { _tag: 'Single', document: { expression }, variables }
    const response = await runRequest({ url: this.#url, request, headers, fetch, fetchOptions })
    if (response instanceof Error) throw response
    return response
  }
}
