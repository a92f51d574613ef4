import { createHook } from 'node:async_hooks'
import { getEventListeners } from 'node:events'
import { request } from 'node:http'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createMockServer, type MockServer } from '../../mock-server/index.ts'
import { INES, invite } from './calls.ts'

/* A test waits for what an application causes, and never sleeps. */

function newMock(): MockServer {
  const mock = createMockServer({ callbacks: { deliver: () => new Response() } })
  onTestFinished(() => mock.close())
  return mock
}

const callbackUrl = 'https://app.example/hook?token=1'

/** The response of the control API, with `null` for a missing body. */
async function get(mock: MockServer, path: string): Promise<{ status: number; body: unknown }> {
  const response = await mock.fetch(`${mock.baseUrl}/__mock${path}`)
  return { status: response.status, body: await response.json() }
}

describe('a wait for a callback resolves', () => {
  test('at once, with the newest match', async () => {
    const mock = newMock()
    const { inviteId } = await invite(mock, { callbackUrl })
    mock.open(inviteId).fail()
    mock.open(inviteId).claim('retake')
    await mock.settle()
    const newest = mock.callbacks.list().at(-1)
    expect(await mock.waitForCallback({ timeoutMs: 0 })).toEqual(newest)
    expect(await mock.waitForCallback({ type: 'certification.completed', timeoutMs: 0 })).toEqual(
      mock.callbacks.list()[0],
    )
    expect((await get(mock, '/callbacks/wait?timeoutMs=0')).body).toEqual(newest)
  })

  test('when its delivery reaches the requested status, and not before', async () => {
    const mock = newMock()
    mock.faults.add({ event: 'any', fault: 'refuse' })
    await mock.clock.freeze()
    const { inviteId } = await invite(mock, { callbackUrl })
    mock.open(inviteId).pass()
    await mock.settle()
    expect((await mock.waitForCallback({ inviteId, status: 'waiting', timeoutMs: 0 })).attempts).toHaveLength(1)
    const delivered = mock.waitForCallback({ inviteId, status: 'delivered' })
    await mock.clock.advance('1m')
    expect((await delivered).attempts).toMatchObject([{ status: null }, { status: 200 }])
  })

  test('for one candidate, whatever the case of the address', async () => {
    const mock = newMock()
    const { inviteId } = await invite(mock, { callbackUrl })
    const { inviteId: other } = await invite(mock, { candidate: { email: 'grace@example.com' }, callbackUrl })
    mock.open(inviteId).pass()
    mock.open(other).pass()
    expect(await mock.waitForCallback({ email: INES.email.toUpperCase() })).toMatchObject({ inviteId })
    expect((await get(mock, '/callbacks/wait?email=GRACE@example.com')).body).toMatchObject({ inviteId: other })
  })

  test('only with one later than `after`', async () => {
    const mock = newMock()
    const { inviteId } = await invite(mock, { callbackUrl })
    mock.open(inviteId).fail()
    const { id: after } = await mock.waitForCallback()
    const later = mock.waitForCallback({ after })
    mock.open(inviteId).claim('retake')
    expect(await later).toMatchObject({ type: 'certification.follow_up_claimed' })
  })
})

test.each(['reset', 'load'] as const)('waits survive a %s and end with the next match', async (begin) => {
  const mock = newMock()
  await invite(mock, { callbackUrl })
  const [mail, callback] = [
    mock.waitForMail({ to: 'ada@example.com' }),
    mock.waitForCallback({ email: 'ada@example.com' }),
  ]
  if (begin === 'reset') mock.reset()
  else mock.load({ candidates: [] })
  const { inviteId } = await invite(mock, { candidate: { email: 'ada@example.com' }, callbackUrl })
  mock.open(inviteId).pass()
  expect(await Promise.all([mail, callback])).toMatchObject([{ inviteId }, { inviteId }])
})

describe('a wait without a match', () => {
  test.each([
    ['/outbox/wait', 'NO_MAIL', 'No such e-mail was sent: none came within 0 ms.'],
    ['/callbacks/wait', 'NO_CALLBACK', 'No such callback: none came within 0 ms.'],
  ])('%s ends in 504 %s', async (path, code, message) => {
    expect(await get(newMock(), `${path}?timeoutMs=0`)).toEqual({ status: 504, body: { error: { code, message } } })
  })

  const WAITS = ['waitForMail', 'waitForCallback'] as const

  test.each(WAITS)('%s rejects when its mock is closed; many at once cause no warning of a leak', async (wait) => {
    const mock = newMock()
    const warn = vi.spyOn(process, 'emitWarning')
    onTestFinished(() => warn.mockRestore())
    const coming = Array.from({ length: 12 }, () => expect(mock[wait]()).rejects.toThrow('the mock was closed'))
    await mock.close()
    await Promise.all(coming)
    expect(warn.mock.calls).toEqual([])
  })

  test.each(WAITS)('%s rejects when its signal aborts', async (wait) => {
    const [mock, caller] = [newMock(), new AbortController()]
    const coming = mock[wait]({ signal: caller.signal })
    caller.abort()
    await expect(coming).rejects.toThrow('the wait was aborted')
    await expect(mock[wait]({ signal: caller.signal })).rejects.toThrow('the wait was aborted')
  })

  test.each(WAITS)('%s shares one listener on its signal with all other waits, and leaves none', async (wait) => {
    const [mock, caller] = [newMock(), new AbortController()]
    const session = mock.openSession()
    const coming = Array.from({ length: 12 }, (_, index) =>
      expect((index % 2 === 0 ? mock : session)[wait]({ signal: caller.signal })).rejects.toThrow('aborted'),
    )
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(1)
    caller.abort()
    await Promise.all(coming)
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(0)
  })

  test.each(['outbox', 'callbacks'])('for %s ends when its client disconnects', async (list) => {
    const mock = newMock()
    const { url } = await mock.listen()
    const timers = timersOf(598_765)
    const client = request(`${url}/__mock/${list}/wait?timeoutMs=598765`, { agent: false }).on('error', () => {})
    client.end()
    await until(() => timers.size === 1)
    client.destroy()
    await until(() => timers.size === 0)
  })
})

/** The running timers of this duration. */
function timersOf(ms: number): ReadonlySet<number> {
  const timers = new Set<number>()
  const hook = createHook({
    init(id, type, _trigger, resource: Readonly<Record<string, unknown>>) {
      if (type === 'Timeout' && resource['_idleTimeout'] === ms) timers.add(id)
    },
    destroy: (id) => void timers.delete(id),
  }).enable()
  onTestFinished(() => void hook.disable())
  return timers
}

/** Polls without a timer. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => void setImmediate(resolve))
}
