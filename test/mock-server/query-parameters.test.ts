import { describe, expect, test } from 'vitest'
import { createMockServer, type MockServer } from '../../mock-server/index.ts'
import { INES, invite } from './calls.ts'

/* A test that asks for the wrong thing must not pass because the mock ignored the parameter. */

async function get(mock: MockServer, path: string): Promise<{ status: number; body: unknown }> {
  const response = await mock.fetch(`${mock.baseUrl}/__mock${path}`)
  return { status: response.status, body: await response.json() }
}

describe('an unknown parameter, or an invalid value, is one clear error', () => {
  test.each<[path: string, message: string, status?: number]>([
    [
      '/requests?operation=developerCreateCertificationInvite',
      'a list of requests has no operation; there are search, limit, page',
    ],
    ['/outbox?email=zzz', 'a list of e-mails has no email; there are to, limit, page'],
    ['/invites?Limit=5', 'a list of invites has no Limit. Did you mean limit?'],
    ['/outbox?limit=', 'limit must be a number'],
    ['/requests?limit=5000', 'limit must be at most 1000'],
    ['/invites?page=0', 'page must be at least 1'],
    ['/invites?status=pending', 'status must be PENDING, '],
    ['/faults?operation=developerCreateCertificationInvite', 'GET /faults has no parameter operation'],
    ['/outbox/wait?timeout=5', 'a wait for an e-mail has no timeout. Did you mean timeoutMs?'],
    ['/outbox/wait?timeoutMs=600001', 'timeoutMs must be at most 600000'],
    ['/outbox/wait?timeoutMs=soon', 'timeoutMs must be a number'],
    ['/outbox/wait?after=inv_nobody', 'No e-mail of the invite "inv_nobody" was sent.', 404],
    ['/callbacks/wait?type=certification.complete', 'Did you mean certification.completed?'],
    ['/callbacks/wait?after=evt_nobody', 'There is no callback "evt_nobody".', 404],
  ])('GET %s', async (path, message, status = 400) => {
    const code = status === 404 ? 'NOT_FOUND' : 'BAD_REQUEST'
    expect(await get(createMockServer(), path)).toEqual({
      status,
      body: { error: { code, message: expect.stringContaining(message) } },
    })
  })

  test('an invalid parameter prevents a DELETE', async () => {
    const mock = createMockServer()
    await invite(mock)
    const url = `${mock.baseUrl}/__mock/requests?operation=other`
    expect((await mock.fetch(url, { method: 'DELETE' })).status).toBe(400)
    expect(mock.requestLog.list()).toHaveLength(1)
  })
})

describe('a plus sign in a query string means a space, but an address with one is found', () => {
  const email = 'ana+1@example.com'
  const invited = async (): Promise<MockServer> => {
    const mock = createMockServer({ callbacks: { deliver: () => new Response() } })
    const { inviteId } = await invite(mock, { candidate: { email }, callbackUrl: 'https://app.example/hook?a+b' })
    await invite(mock, { candidate: INES })
    mock.open(inviteId).pass()
    await mock.settle()
    return mock
  }

  test.each(['+', '%2B'])('by waits, as %s', async (plus) => {
    const mock = await invited()
    const found = [
      await get(mock, `/outbox/wait?to=ana${plus}1@example.com&timeoutMs=0`),
      await get(mock, `/callbacks/wait?email=ana${plus}1@example.com&timeoutMs=0`),
    ]
    expect(found.map(({ status }) => status)).toEqual([200, 200])
  })

  test.each(['/outbox?to=', '/invites?search='])('by the list %s', async (path) => {
    const mock = await invited()
    expect((await get(mock, `${path}ana+1@`)).body).toMatchObject({ total: 1 })
    expect((await get(mock, `${path}ana%2B1@`)).body).toMatchObject({ total: 1 })
  })
})
