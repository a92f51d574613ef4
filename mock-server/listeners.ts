import type { Router } from './api/router.ts'

/** Where to listen. */
export interface MockListenOptions {
  /** The port; 0, the default, takes a free one. */
  readonly port?: number
  /** The host to bind to. Default `127.0.0.1`. */
  readonly host?: string
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
    return serve(this.#router, where)
  }
}

const NO_LISTENERS = 'mock.listen() needs Node.js: in a browser there is mock.fetch, and certify-sdk/mock/msw.'
