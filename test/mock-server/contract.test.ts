import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { MockServer } from '../../mock-server/contract/mock-server.ts'
import type { MockServerOptions } from '../../mock-server/generated/contract.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { mswHandlers } from '../../mock-server/msw.ts'
import { CertifyClient } from '../../src/index.ts'
import { contract, type Place } from './contract.ts'

/* One suite for every way to reach the mock. A browser runs it too: test/browser. */

const msw = setupServer()

function placeOf(mock: MockServer, fetch: typeof globalThis.fetch, baseUrl = mock.baseUrl): Place {
  return { mock, fetch, baseUrl, client: new CertifyClient({ baseUrl, apiKey: mock.apiKey, fetch, retry: false }) }
}

const places: Record<string, (options: MockServerOptions) => Promise<Place>> = {
  'mock.fetch': async (options) => {
    const mock = createMockServer(options)
    return placeOf(mock, mock.fetch)
  },
  'mock.listen()': async (options) => {
    const mock = createMockServer(options)
    onTestFinished(() => mock.close())
    return placeOf(mock, fetch, (await mock.listen()).url)
  },
  'msw/node': async (options) => {
    const mock = createMockServer(options)
    msw.use(...mswHandlers(mock))
    return placeOf(mock, fetch)
  },
}

describe.each(Object.entries(places))('%s', (name, open) => {
  if (name === 'msw/node') {
    beforeAll(() => msw.listen({ onUnhandledRequest: 'error' }))
    afterEach(() => msw.resetHandlers())
    afterAll(() => msw.close())
  }

  test.each(contract)('$title', async ({ see, expected, options }) => {
    expect(await see(await open(options ?? {}))).toEqual(expected)
  })
})
