import type { Door } from './api/door.ts'
import type { Router } from './api/router.ts'
import type { MockFetch } from './platform.ts'

/** Where to listen. */
export interface MockListenOptions {
  /** The port; 0, the default, takes a free one. */
  readonly port?: number
  /** The host to bind to. Default `127.0.0.1`. */
  readonly host?: string
  /**
   * Whether the page and the control API are served. Default `true`. The endpoint and the challenge links always are.
   */
  readonly control?: boolean
  /**
   * The names of hosts, without a port, by which the page and the control API may be asked for, besides those of the loopback
   * and `host` itself: `mock`, for a container of that name. The endpoint answers under any name.
   */
  readonly allowHosts?: readonly string[]
  /**
   * What the control API and the page have to be shown: as a bearer token, or as the password of basic authentication, which
   * a browser asks for. None where left out.
   */
  readonly controlToken?: string
}

/** How a mock is reached. */
export interface MockServing {
  /**
   * A fetch for requests to `baseUrl`, without any network. It may be passed around on its own.
   *
   * @throws TypeError for an address that is not under `baseUrl`, as fetch does when a host cannot be reached.
   * @example
   * ```ts
   * const client = new CertifyClient({ baseUrl: mock.baseUrl, apiKey, fetch: mock.fetch })
   * ```
   */
  readonly fetch: MockFetch
  /**
   * Serves this world over HTTP (Node). Links that are created through a listener begin with the listener's address.
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
   * Closes every listener and every session, and ends what is under way: no timer, no socket is left. The world can still
   * be looked at, asked by `fetch`, and served anew.
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
  /** Where the mock is served, without a slash at the end. */
  readonly url: string
  /** The address of the GraphQL endpoint. */
  readonly endpoint: string
  /** The port that is bound. */
  readonly port: number
  /** Stops listening and ends every connection. */
  close(): Promise<void>
}

/** The HTTP listeners of one mock: each may be closed by itself, and all of them together. */
export class Listeners {
  readonly #router: Router
  /* Promises, so that a listener that is about to open is closed too. */
  readonly #open = new Set<Promise<MockListener>>()

  constructor(router: Router) {
    this.#router = router
  }

  async listen(where: MockListenOptions): Promise<MockListener> {
    const opening = this.#serve(where)
    this.#open.add(opening)
    const forget = (): void => void this.#open.delete(opening)
    try {
      const listener = await opening
      return { ...listener, close: () => listener.close().finally(forget) }
    } catch (error) {
      forget()
      throw error
    }
  }

  async close(): Promise<void> {
    const settled = await Promise.allSettled(this.#open)
    this.#open.clear()
    await Promise.all(settled.map(async (each) => each.status === 'fulfilled' && (await each.value.close())))
  }

  /** Loaded when it is needed: nothing else in a mock is for Node alone. */
  async #serve(where: MockListenOptions): Promise<MockListener> {
    const { serve } = await import('./standalone.ts').catch((cause: unknown) => {
      throw new Error(NO_LISTENERS, { cause })
    })
    return serve(this.#router, where, doorFor(where))
  }
}

function doorFor({ control = true, controlToken, allowHosts = [], host }: MockListenOptions): Door {
  return {
    control,
    token: controlToken ?? null,
    hosts: [...allowHosts, ...(host === undefined ? [] : [host.includes(':') ? `[${host}]` : host])],
  }
}

const NO_LISTENERS = 'mock.listen() needs Node.js: in a browser there is mock.fetch, and certify-sdk/mock/msw.'
