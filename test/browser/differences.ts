import { CREATE, INES, QUIZ } from '../mock-server/calls.ts'
import type { Place, Rule } from '../mock-server/contract.ts'

/** How a browser sees a mock where Node.js may differ. */
export const differences: readonly Rule[] = [
  {
    title: 'listen() needs Node.js, and the error says so',
    see: ({ mock }) =>
      mock.listen().then(
        () => 'listening',
        (error: Error) => error.message,
      ),
    expected: 'mock.listen() needs Node.js: in a browser there is mock.fetch, and certify-sdk/mock/msw.',
  },
  {
    title: 'a cut is the browser’s own network error, indistinguishable from any other',
    see: (place) => {
      place.mock.faults.add({ phase: 'after', fault: 'cut' })
      return create(place).then(String, (error: Error) => [error.name, error.message, typeof error.cause])
    },
    expected: ['TypeError', 'Failed to fetch', 'undefined'],
  },
  {
    title: 'a truncated body is an error after the status, and its first half may be lost',
    see: async (place) => {
      place.mock.faults.add({ phase: 'after', fault: 'truncate' })
      const response = await create(place)
      return [response.status, await response.text().catch((error: Error) => error.name)]
    },
    expected: [200, 'TypeError'],
  },
  {
    title: 'a stalled body delivers its first half and ends with the caller’s abort, as in Node.js',
    see: async (place) => {
      place.mock.faults.add({ phase: 'after', fault: 'stall' })
      const caller = new AbortController()
      const reader = (await create(place, caller.signal)).body?.getReader()
      const first = await reader?.read()
      caller.abort()
      const end = await reader?.read().catch((error: Error) => error.name)
      return [new TextDecoder().decode(first?.value).slice(0, 8), end]
    },
    expected: ['{"data":', 'AbortError'],
  },
  {
    title: 'a status without a body has an empty one',
    see: async (place) => {
      place.mock.faults.add({ fault: 204 })
      const response = await create(place)
      return [response.status, await response.text()]
    },
    expected: [204, ''],
  },
]

function create({ mock, fetch, baseUrl }: Place, signal: AbortSignal | null = null): Promise<Response> {
  return fetch(`${baseUrl}/api/developer/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': mock.apiKey },
    body: JSON.stringify({ query: CREATE, variables: { input: { quizId: QUIZ, candidate: INES } } }),
    signal,
  })
}
