import { passthrough, RequestHandler } from 'msw'
import { EVENT_ID_HEADER } from './contract/callbacks.ts'
import type { MockServer } from './contract/mock-server.ts'
import { isConnectionLost, targetUnder } from './in-process-fetch.ts'

/**
 * The handlers that let MSW answer everything under the mock's `baseUrl`; requests to anywhere else pass by untouched.
 * They serve `setupServer` of `msw/node` and `setupWorker` of `msw/browser`. For two mocks behind one of those, give each a
 * `baseUrl` of its own: of two with the same one the first answers.
 *
 * In a browser the faults `cut` and `truncate` are what the browser makes of a lost connection: a `TypeError` without a
 * cause, and of a truncated body the first half may be lost as well. `hang` and `stall` last until the caller aborts, as in
 * Node. `mock.listen()` needs Node.
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
 * One handler for the whole service, whatever document it is sent. It answers in `run()` itself: MSW's own way there
 * tells operations apart by the client's names for them and keeps cookies for the whole process.
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
    // The body of a copy is read, so that whoever listens to MSW's events can still read the request itself. Its signal is
    // the request's own: that of a copy may be collected before it aborts.
    const { body } = request.clone()
    const response = await this.#mock.fetch(request, { body, duplex: 'half' }).catch((reason: unknown) => {
      // What a handler throws, MSW prints, and answers with status 500. Who has aborted does not look at this any more.
      if (isConnectionLost(reason) || request.signal.aborted) return Response.error()
      throw reason
    })
    return { handler: this, request, requestId, response }
  }

  /** Whether the mock itself is sending this to an application, by a fetch that MSW had replaced before it came. */
  #isCallback({ headers }: Request): boolean {
    const eventId = headers.get(EVENT_ID_HEADER)
    if (eventId === null) return false
    const mocks = [this.#mock, ...this.#mock.sessions]
    return mocks.some(({ callbacks }) => callbacks.list().some(({ id }) => id === eventId))
  }

  override log(): void {
    // MSW calls this in browsers only; the answer is in the network panel there.
  }
}
