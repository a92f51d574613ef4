import { type HttpHandler, http, passthrough } from 'msw'
import { EVENT_ID_HEADER } from './contract/members.ts'
import type { MockServer } from './contract/mock-server.ts'
import { isConnectionLost } from './in-process-fetch.ts'
import { literalPattern } from './world/text-patterns.ts'

/**
 * The handlers with which MSW answers every request below the mock's `baseUrl`. They ignore all other requests, and
 * work with `setupServer` of `msw/node` and `setupWorker` of `msw/browser`. Two mocks need different base URLs:
 * otherwise the first one answers.
 *
 * In a browser the faults `cut` and `truncate` reject with a `TypeError` without a cause, and the first half of a
 * truncated body may be lost. `hang` and `stall` last until the caller aborts, as in Node. `mock.listen()` needs Node.
 *
 * @example
 * ```ts
 * const mock = createMockServer()
 * const server = setupServer(...mswHandlers(mock))
 * ```
 */
export function mswHandlers(mock: MockServer): HttpHandler[] {
  return [
    http.all(/.*/, ({ request }) => (isCallbackOf(mock, request) ? passthrough() : undefined)),
    http.all(new RegExp(`^${literalPattern(mock.baseUrl)}(?=[/?#]|$)`), async ({ request }) => {
      // The body is a clone's, so that listeners of MSW's events can still read the request. The signal is the request's
      // own: a clone's may be garbage-collected before it aborts.
      const { body } = request.clone()
      return mock.fetch(request, { body, duplex: 'half' }).catch((reason: unknown) => {
        // MSW prints what a handler throws, and answers with status 500. A caller that has aborted ignores the response.
        if (isConnectionLost(reason) || request.signal.aborted) return Response.error()
        throw reason
      })
    }),
  ]
}

/**
 * The names of the GraphQL operations that the SDK sends, by its methods, for handlers of your own before these.
 *
 * @example
 * ```ts
 * server.use(graphql.mutation(operationNames['invites.create'], () => HttpResponse.error()))
 * ```
 */
export const operationNames = {
  /** A mutation: one invite. */
  'invites.create': 'CreateInvite',
  /** A mutation: the invites of a package. */
  'packageInvites.create': 'CreatePackageInvite',
  /** A query: the tracks, also for `tracks.get`. */
  'tracks.list': 'PackageTracks',
} as const

/** Whether this is a callback of the mock, sent by a fetch that MSW had replaced before the mock was imported. */
function isCallbackOf(mock: MockServer, { headers }: Request): boolean {
  const eventId = headers.get(EVENT_ID_HEADER)
  if (eventId === null) return false
  return [mock, ...mock.sessions].some(({ callbacks }) => callbacks.list().some(({ id }) => id === eventId))
}
