import type { ApiKey } from '../world/model.ts'
import type { MockFetch } from './fetch-types.ts'

/** Where to listen. */
export interface MockListenOptions {
  /** The port. 0, the default, chooses a free one. */
  readonly port?: number
  /** The host to bind to. Default `127.0.0.1`. */
  readonly host?: string
  /**
   * Whether the page and the control API are served. Default `true`. The endpoint and the challenge links always are.
   */
  readonly control?: boolean
  /**
   * Host names, without a port, under which the page and the control API answer, besides loopback names and `host` itself:
   * `mock`, for a container of that name. The endpoint answers under any name.
   */
  readonly allowHosts?: readonly string[]
  /**
   * The token that the control API and the page require: as a bearer token, or as the password of basic authentication,
   * which a browser asks for. Default: none.
   */
  readonly controlToken?: string
}

/** How a mock is reached. */
export interface MockServing {
  /**
   * The address of the mock in process, without a slash at the end.
   *
   * @example
   * ```ts
   * const client = new CertifyClient({ baseUrl: mock.baseUrl, apiKey: mock.apiKey, fetch: mock.fetch })
   * ```
   */
  readonly baseUrl: string
  /**
   * The address of the GraphQL endpoint in process.
   *
   * @example
   * ```ts
   * await mock.fetch(mock.endpoint, { method: 'POST', headers, body })
   * ```
   */
  readonly endpoint: string
  /**
   * The first key of this world. Of the documented keys, it is the one with every scope.
   *
   * @example
   * ```ts
   * const client = new CertifyClient({ baseUrl: mock.baseUrl, apiKey: mock.apiKey, fetch: mock.fetch })
   * ```
   */
  readonly apiKey: string
  /**
   * The keys of this world. The documented ones are named `full`, `read`, `invite` and `none`.
   *
   * @example
   * ```ts
   * const key = mock.apiKeys.find(({ name }) => name === 'read')?.key
   * ```
   */
  readonly apiKeys: readonly ApiKey[]
  /**
   * The admin session: headers to send in place of a key.
   *
   * @example
   * ```ts
   * const client = new CertifyClient({ baseUrl: mock.baseUrl, adminSession: mock.adminSession })
   * ```
   */
  readonly adminSession: { readonly headers: Readonly<Record<string, string>> }
  /**
   * A fetch for requests below `baseUrl`, without a network. It needs no `this`.
   *
   * @throws TypeError for any other address, as fetch does when a host cannot be reached.
   * @example
   * ```ts
   * const client = new CertifyClient({ baseUrl: mock.baseUrl, apiKey, fetch: mock.fetch })
   * ```
   */
  readonly fetch: MockFetch
  /**
   * Serves this world over HTTP (Node only). Links that are created through a listener begin with the address that the
   * request was sent to, where its host is a loopback name or an allowed one; otherwise with the listener's `url`.
   *
   * @throws Error whose `code` is `EADDRINUSE` when the port is taken.
   * @example
   * ```ts
   * const listener = await mock.listen({ port: 0 })
   * await listener.close()
   * ```
   */
  listen(options?: MockListenOptions): Promise<MockListener>
  /**
   * Closes every listener and session, and ends what is under way: no timer and no socket is left. The state stays, and
   * `fetch` and `listen` still work.
   *
   * @example
   * ```ts
   * afterAll(() => mock.close())
   * ```
   */
  close(): Promise<void>
}

/**
 * A running HTTP server on a mock.
 *
 * @example
 * ```ts
 * const { url, close } = await mock.listen()
 * ```
 */
export interface MockListener {
  /** The address of the mock, without a slash at the end. */
  readonly url: string
  /** The address of the GraphQL endpoint. */
  readonly endpoint: string
  /** The port that is bound. */
  readonly port: number
  /** Stops listening and ends every connection. */
  close(): Promise<void>
}
