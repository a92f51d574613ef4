import type { MockListener } from './contract/mock-server.ts'
import type { MockListenOptions } from './generated/contract.ts'
import type { Router, SiteAccess } from './sandbox/router.ts'

/** The HTTP listeners of one mock, to close one by one or together. */
export class Listeners {
  readonly #router: Router
  /* Promises, so that `close` also closes a listener that is about to open. */
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

  /** Loads the server when it is needed: everything else in a mock also runs in browsers. */
  async #serve(where: MockListenOptions): Promise<MockListener> {
    const { serve } = await import('./standalone.ts').catch((cause: unknown) => {
      throw new Error(NO_LISTENERS, { cause })
    })
    return serve(this.#router, where, accessFor(where))
  }
}

export function accessFor({ control = true, controlToken, allowHosts = [], host }: MockListenOptions): SiteAccess {
  return {
    control,
    token: controlToken ?? null,
    hosts: [...allowHosts, ...(host === undefined ? [] : [host.includes(':') ? `[${host}]` : host])],
  }
}

const NO_LISTENERS = 'mock.listen() needs Node.js: in a browser there is mock.fetch, and certify-sdk/mock/msw.'
