import { expect, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { keyOf } from './calls.ts'

test('mock.fetch is a drop-in for the platform’s fetch, with a Request, a URL or a string', async () => {
  const mock = createMockServer()
  const fetch: typeof globalThis.fetch = mock.fetch
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': keyOf(mock, 'read') },
    body: '{"query":"{ developerCertificationPackageTracks(trackSlug: \\"sql\\") { slug } }"}',
  }
  const inputs = [mock.endpoint, new URL(mock.endpoint), `${mock.endpoint}#part`]
  const answers = [...inputs.map((input) => fetch(input, init)), fetch(new Request(mock.endpoint, init))]
  for (const response of await Promise.all(answers)) {
    expect(response).toBeInstanceOf(Response)
    expect(await response.json()).toEqual({ data: { developerCertificationPackageTracks: [{ slug: 'sql' }] } })
  }
})

test.each(['https://certify.test.evil.example/', 'https://certify.tes', 'https://other.test/', 'http://certify.test/'])(
  'mock.fetch rejects %s, which is outside its baseUrl, like an unreachable host',
  async (address) => {
    const mock = createMockServer()
    const asked = mock.fetch(`${address}?token=secret`)
    await expect(asked).rejects.toThrow(TypeError)
    await expect(asked).rejects.toThrow(/answers under https:\/\/certify\.test and nowhere else/)
    await expect(asked).rejects.not.toThrow(/secret/)
  },
)

test('mock.fetch honours an aborted signal, and nothing is created', async () => {
  const mock = createMockServer()
  const reason = new Error('enough')
  const query =
    'mutation { developerCreateCertificationInvite(input: { quizId: "quiz_react_beginner_state", candidate: { email: "a@b.test" } }) { status } }'
  const controller = new AbortController()
  const asked = mock.fetch(mock.endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': keyOf(mock, 'full') },
    body: JSON.stringify({ query }),
    signal: controller.signal,
  })
  controller.abort(reason)
  await expect(asked).rejects.toBe(reason)
  await expect(mock.fetch(mock.endpoint, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  expect(mock.invites).toEqual([])
})

test.each(['certify.test', 'ftp://certify.test', '/certify', 'https://'])('baseUrl %j is refused', (baseUrl) => {
  expect(() => createMockServer({ baseUrl })).toThrow('baseUrl must be')
})
