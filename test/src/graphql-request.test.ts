import { afterAll, expect, test, vi } from 'vitest'
import type { FetchInit } from '../../src/transport/fetch.ts'

/* The real library, except for its serializer, one header, and one field that it reads. */
vi.mock('graphql-request', async (original) => {
  const real = await original<typeof import('graphql-request')>()
  class Changed extends real.GraphQLClient {
    constructor(url: string, config: NonNullable<ConstructorParameters<typeof real.GraphQLClient>[1]>) {
      const parse = (text: string) => {
        const result = config.jsonSerializer?.parse(text) as { data: object }
        return { ...result, data: { developerCertificationPackageTracks: [] } }
      }
      const stringify = (body: unknown) => JSON.stringify({ ...(body as object), builtBy: 'the library' })
      super(`${url}?by=library`, {
        ...config,
        headers: { ...(config.headers as Record<string, string>), 'x-built-by': 'the library' },
        jsonSerializer: { parse, stringify },
      })
    }
  }
  return { ...real, GraphQLClient: Changed }
})

/* Test files share their modules: the client is loaded again with this library, and then once more without it. */
vi.resetModules()
const { CertifyClient } = await import('../../src/index.ts')
afterAll(() => {
  vi.doUnmock('graphql-request')
  vi.resetModules()
})

test('graphql-request builds the request that is sent, and the client reads its result', async () => {
  const sent: [url: string, init: FetchInit][] = []
  const client = new CertifyClient({
    baseUrl: 'https://certify.test',
    apiKey: 'ck_1',
    fetch: async (url, init) => {
      sent.push([url, init])
      return Response.json({ data: { developerCertificationPackageTracks: 'not a list' } })
    },
  })
  expect(await client.tracks.list()).toEqual([])
  expect(sent).toMatchObject([
    [
      'https://certify.test/api/developer/graphql?by=library',
      {
        headers: { 'x-api-key': 'ck_1', 'x-built-by': 'the library', 'content-type': 'application/json' },
        body: expect.stringContaining('"builtBy":"the library"') as string,
      },
    ],
  ])
})
