import { graphql } from 'graphql'
import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { mswHandlers } from '../dist/mock/msw.js'
import { plainSchema } from './mock-operations.mjs'

/**
 * MSW with one of two handlers: the usual one, which parses the body and hands it to graphql(), or that of the mock.
 *
 * @param {import('../dist/mock/index.js').MockServer} mock
 */
export async function usualMsw(mock) {
  const schema = await plainSchema()
  const server = setupServer()
  const usual = http.post(mock.endpoint, async ({ request }) => {
    const { query, variables } = /** @type {{ query: string, variables: Record<string, unknown> }} */ (
      await request.json()
    )
    const contextValue = { key: request.headers.get('x-api-key') }
    return HttpResponse.json(await graphql({ schema, source: query, variableValues: variables, contextValue }))
  })
  return {
    usual: [usual],
    ours: mswHandlers(mock),
    close: () => server.close(),
    listen: (/** @type {import('msw').RequestHandler[]} */ handlers) => {
      server.resetHandlers(...handlers)
      server.listen({ onUnhandledRequest: 'error' })
    },
  }
}
