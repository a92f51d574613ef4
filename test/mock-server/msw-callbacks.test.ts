import { setupServer } from 'msw/node'
import { expect, onTestFinished, test, vi } from 'vitest'
import * as importedBefore from '../../mock-server/index.ts'
import { mswHandlers } from '../../mock-server/msw.ts'
import { startServer } from '../src/http-server.ts'
import { invite } from './calls.ts'

test.each(['before', 'after'])(
  'callbacks bypass MSW, whether the mock is imported %s MSW listens: no handler or unhandled-request check sees them',
  async (moment) => {
    const app = await startServer((response) => void response.end())
    const seen: string[] = []
    const server = setupServer()
    server.events.on('request:start', ({ request }) => seen.push(request.url))
    server.listen({ onUnhandledRequest: 'error' })
    onTestFinished(() => server.close())
    if (moment === 'after') vi.resetModules()
    const { createMockServer } = moment === 'after' ? await import('../../mock-server/index.ts') : importedBefore
    const mock = createMockServer({ callbacks: { hosts: { 'https://app.example': app.url } } })
    server.use(...mswHandlers(mock))
    mock.open((await invite(mock, { callbackUrl: 'https://app.example/hook' })).challengeUrl).pass()
    await mock.settle()
    expect(mock.callbacks.list()).toMatchObject([{ status: 'delivered' }])
    expect(app.received).toMatchObject([{ path: '/hook', headers: { accept: '*/*' } }])
    await mock.close()
  },
)
