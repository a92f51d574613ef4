import { expect, onTestFinished, test } from 'vitest'
import { createFetch } from '../../src/node/index.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { CertifyClient } from '../../src/index.ts'
import { failureOf } from '../src/failing.ts'
import { candidates, createBulk, QUIZ, type Told } from './bulk.ts'
import { startRepeatingProxy } from './repeating-proxy.ts'

const emailOf = (number: number) => `candidate-${number}@example.com`
const inputOf = (number: number) => ({ quizId: QUIZ, candidate: { email: emailOf(number) } })

async function listeningMock() {
  const mock = createMockServer({ now: '2030-01-01T00:00:00Z' })
  const listening = await mock.listen()
  onTestFinished(() => listening.close())
  return { mock, url: listening.url }
}

test.each([
  ['the fetch of the command line', createFetch()],
  ['the global fetch', globalThis.fetch],
])('one answer too many on a kept connection gives nobody the link of somebody else: %s', async (_name, fetch) => {
  const { mock, url } = await listeningMock()
  const proxy = await startRepeatingProxy(url, 3)
  const client = new CertifyClient({ baseUrl: proxy.url, apiKey: mock.apiKey, fetch })
  await client.invites.create(inputOf(1))
  const second = await client.invites.create(inputOf(2))
  const error = await failureOf(client.invites.create(inputOf(3)))
  expect(error).toMatchObject({ code: 'RESPONSE_MISMATCHED', outcome: 'unknown', partial: undefined })
  expect(mock.invites.find(({ inviteId }) => inviteId === second.inviteId)?.candidate.email).toBe(emailOf(2))
  expect(proxy.requests()).toBe(3)
})

test('after an answer to another request its connection is dropped, and the fetch of the command line keeps none any more', async () => {
  const { mock, url } = await listeningMock()
  const proxy = await startRepeatingProxy(url, 2)
  const client = new CertifyClient({ baseUrl: proxy.url, apiKey: mock.apiKey, fetch: createFetch() })
  await client.invites.create(inputOf(1))
  await failureOf(client.invites.create(inputOf(2)))
  expect(proxy.connections()).toBe(1)
  for (const number of [3, 4, 5]) {
    const { inviteId } = await client.invites.create(inputOf(number))
    expect(mock.invites.find((invite) => invite.inviteId === inviteId)?.candidate.email).toBe(emailOf(number))
  }
  expect(proxy.connections()).toBe(4)
})

test.each([1, 4])(
  'bulk ends at an answer to another request, and nobody is told a link of another: concurrency %i',
  async (concurrency) => {
    const { mock, url } = await listeningMock()
    const proxy = await startRepeatingProxy(url, 8)
    const { bulk } = createBulk(mock)
    const env = { CERTIFY_BASE_URL: proxy.url }
    const run = () => bulk(candidates(20), ['--yes', '--concurrency', String(concurrency)], { env })
    const isTrue = ({ email, invites }: Told) =>
      invites.every(
        ({ inviteId }) => mock.invites.find((invite) => invite.inviteId === inviteId)?.candidate.email === email,
      )
    const first = await run()
    expect(first.code).toBe(6)
    expect(first.rows.filter(({ code }) => code === 'RESPONSE_MISMATCHED')).toHaveLength(1)
    expect(first.stderr).toContain('belongs to another request')
    expect(first.rows.every(isTrue)).toBe(true)
    const again = await run()
    expect(again.rows.every(isTrue)).toBe(true)
    expect(new Set(mock.invites.map(({ candidate }) => candidate.email)).size).toBe(mock.invites.length)
    expect(mock.invites).toHaveLength(20)
  },
)
