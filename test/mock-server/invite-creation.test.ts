import { describe, expect, onTestFinished, test } from 'vitest'
import type { MockServer } from '../../mock-server/contract/mock-server.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { CERTIFIED, INES, PACKAGE, PACKAGE_QUIZZES, QUIZ } from './calls.ts'

/* A tester creates invites through the control API: by the rules of the service, without its keys. */

async function call(mock: MockServer, path: string, body: object = {}) {
  const response = await mock.fetch(`${mock.baseUrl}/__mock${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: await response.json() }
}

describe('POST /__mock/invites', () => {
  test('creates one invite by the rules of the service, and sends its e-mail', async () => {
    const mock = createMockServer()
    const input = { quizId: QUIZ, candidate: INES, externalReference: 'a-7', callbackUrl: 'https://app.example/hook' }
    expect(await call(mock, '/invites', input)).toEqual({ status: 201, body: { invites: [{ ...mock.invites[0] }] } })
    expect(mock.invites).toMatchObject([{ ...input, status: 'PENDING', emailSent: true }])
    expect(mock.outbox).toMatchObject([{ to: INES.email }])
  })

  test('creates one invite per skill of a package, and no e-mail if none is wanted', async () => {
    const mock = createMockServer()
    const { status } = await call(mock, '/invites', { packageId: PACKAGE, candidate: INES, sendInviteEmail: false })
    expect([status, mock.invites.map(({ quizId }) => quizId), mock.outbox]).toEqual([201, PACKAGE_QUIZZES, []])
  })

  test('refuses what the service refuses', async () => {
    const mock = createMockServer()
    const certified = { quizId: 'quiz_react_beginner_components', candidate: { email: CERTIFIED } }
    expect(await call(mock, '/invites', certified)).toEqual({
      status: 409,
      body: { error: { code: 'BAD_USER_INPUT', message: expect.stringContaining('holds a certification') } },
    })
    expect([mock.invites, mock.outbox]).toEqual([[], []])
  })

  test('is not a client’s request: no fault hits it, and it stays out of the request log', async () => {
    const mock = createMockServer()
    mock.faults.add({ fault: 'cut' })
    expect((await call(mock, '/invites', { quizId: QUIZ, candidate: INES })).status).toBe(201)
    expect([mock.requestLog.list(), mock.faults.list()[0]?.hits]).toEqual([[], 0])
  })

  test('gives the links the address at which the mock was reached, and creates in the session of its path', async () => {
    const mock = createMockServer()
    onTestFinished(() => mock.close())
    const { url } = await mock.listen()
    const session = mock.openSession({ id: 'worker-1' })
    const response = await fetch(`${url}/s/worker-1/__mock/invites`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ quizId: QUIZ, candidate: INES }),
    })
    expect(await response.json()).toMatchObject({
      invites: [{ challengeUrl: expect.stringContaining(`${url}/s/worker-1/challenge/`) }],
    })
    expect([mock.invites.length, session.invites.length]).toEqual([0, 1])
  })
})
