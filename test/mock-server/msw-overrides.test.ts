import { graphql, HttpResponse } from 'msw'
import { setupServer } from 'msw/node'
import { expect, onTestFinished, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { mswHandlers, operationNames } from '../../mock-server/msw.ts'
import { CertifyClient } from '../../src/index.ts'
import { INES, PACKAGE, QUIZ } from './calls.ts'

test('the SDK’s operations can be overridden by their names, which are those of its documents', async () => {
  const mock = createMockServer({ baseUrl: 'https://api.example.test/certify' })
  const server = setupServer(...mswHandlers(mock))
  onTestFinished(() => server.close())
  const { baseUrl, apiKey } = mock
  const client = new CertifyClient({ baseUrl, apiKey, retry: false })
  server.listen({ onUnhandledRequest: 'error' })
  const [errors, input] = [[{ message: 'no' }], { candidate: INES }]
  for (const name of ['invites.create', 'packageInvites.create'] as const) {
    server.use(graphql.mutation(operationNames[name], () => HttpResponse.json({ errors })))
  }
  server.use(graphql.query(operationNames['tracks.list'], () => HttpResponse.json({ errors })))
  for (const call of [
    () => client.invites.create({ quizId: QUIZ, ...input }),
    () => client.packageInvites.create({ packageId: PACKAGE, ...input }),
    () => client.tracks.list(),
  ]) {
    await expect(call()).rejects.toMatchObject({ code: 'API_ERROR' })
  }
  expect(mock.requestLog.list()).toEqual([])
})
