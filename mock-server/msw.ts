import { passthrough, RequestHandler } from 'msw'
import { EVENT_ID_HEADER } from './contract/callbacks.ts'
import type { MockServer } from './contract/mock-server.ts'
import { isConnectionLost, targetUnder } from './in-process-fetch.ts'

/**
 * The handlers with which MSW answers every request below the mock's `baseUrl`. They ignore all other requests, and work
 * with `setupServer` of `msw/node` and `setupWorker` of `msw/browser`. Two mocks need two base URLs: of two with the same
 * one, the first answers.
 *
 * In a browser the faults `cut` and `truncate` reject with a `TypeError` without a cause, and the first half of a truncated
 * body may be lost. `hang` and `stall` last until the caller aborts, as in Node. `mock.listen()` needs Node.
 *
 * @example
 * ```ts
 * const mock = createMockServer()
 * const server = setupServer(...mswHandlers(mock))
 * ```
 */
export function mswHandlers(mock: MockServer): RequestHandler[] {
  return [new MockServerHandler(mock)]
}

/**
 * One handler for the whole service and any document. It overrides `run()`: MSW's own would distinguish operations by the
 * client's names for them, and keep cookies for the whole process.
 */
class MockServerHandler extends RequestHandler {
  readonly #mock: MockServer

  constructor(mock: MockServer) {
    super({ info: { header: `certification service at ${mock.baseUrl}` }, resolver: () => undefined })
    this.#mock = mock
  }

  override predicate({ request }: { request: Request }): boolean {
    return targetUnder(this.#mock.baseUrl, request.url) !== null || this.#isCallback(request)
  }

  override async run(args: Parameters<RequestHandler['run']>[0]): ReturnType<RequestHandler['run']> {
    const { request, requestId } = args
    if (!this.predicate({ request })) return null
    this.isUsed = true
    if (this.#isCallback(request)) return { handler: this, request, requestId, response: passthrough() }
    // The body is that of a clone, so that listeners of MSW's events can still read the request. The signal is the request's
    // own: that of a clone may be garbage-collected before it aborts.
    const { body } = request.clone()
    const response = await this.#mock.fetch(request, { body, duplex: 'half' }).catch((reason: unknown) => {
      // MSW prints what a handler throws, and answers with status 500. A caller that has aborted ignores the answer.
      if (isConnectionLost(reason) || request.signal.aborted) return Response.error()
      throw reason
    })
    return { handler: this, request, requestId, response }
  }

  /** Whether this is a callback of the mock, sent by a fetch that MSW had replaced before the mock was imported. */
  #isCallback({ headers }: Request): boolean {
    const eventId = headers.get(EVENT_ID_HEADER)
    if (eventId === null) return false
    const mocks = [this.#mock, ...this.#mock.sessions]
    return mocks.some(({ callbacks }) => callbacks.list().some(({ id }) => id === eventId))
  }

  override log(): void {
    // MSW calls this only in browsers, where the network panel shows the answer.
  }
}
