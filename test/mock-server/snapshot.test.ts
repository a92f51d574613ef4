import { expect, test } from 'vitest'
import type { MockServer } from '../../mock-server/contract/mock-server.ts'
import { createMockServer, type MockSnapshot } from '../../mock-server/index.ts'
import { controlText, HOOK, INES, invite, listTracks, openHooked, openOne, QUIZ, refusedInvite } from './calls.ts'
import { createReceiver } from './receiver.ts'

const NOW = '2030-03-01T09:30:00.000Z'

/** Everything that a tester can see of a world. */
function seen(mock: MockServer): unknown {
  const { attempts, certifications } = mock.candidate(INES.email)
  const { invites, outbox, quizzes, tracks } = mock
  const callbacks = mock.callbacks.list()
  return { now: mock.clock.now(), invites, outbox, quizzes, tracks, callbacks, attempts, certifications }
}

async function prepared(mock: MockServer): Promise<void> {
  const failed = await openHooked(mock)
  failed.fail()
  failed.claim('retake')
  ;(await openOne(mock, { quizId: 'quiz_javascript_beginner' })).pass()
  mock.disableQuiz('quiz_python_beginner')
  await invite(mock, { candidate: { email: 'pass@candidate.test' } })
  await mock.settle()
}

test('a world can be restored from its snapshot, in the same or another mock, through JSON', async () => {
  const { deliver } = createReceiver(500)
  const mock = createMockServer({ now: NOW, callbacks: { deliver } })
  await prepared(mock)
  const snapshot = JSON.parse(JSON.stringify(mock.snapshot()))
  const then = seen(mock)
  await mock.clock.advance('30d')
  mock.enableQuiz('quiz_python_beginner')
  await invite(mock)
  const other = createMockServer({ world: { quizzes: [], tracks: [] } })
  for (const each of [mock, other]) {
    each.restore(snapshot)
    expect(seen(each)).toEqual(then)
  }
  expect(await listTracks(other)).toEqual(await listTracks(mock))
})

test('a restored world continues like the original: ids, plans, retries, clock', async () => {
  const [a, b] = [createReceiver(500), createReceiver()]
  const original = createMockServer({ now: NOW, callbacks: { deliver: a.deliver } })
  await prepared(original)
  const copy = createMockServer({ callbacks: { deliver: b.deliver } })
  copy.restore(original.snapshot())
  for (const each of [original, copy]) {
    await each.clock.advance('1h')
    await refusedInvite(each, { quizId: 'quiz_javascript_beginner' })
    await invite(each, { quizId: QUIZ })
  }
  expect(seen(copy)).toEqual(seen(original))
  expect(b.received.map(({ text }) => text)).toEqual(a.received.slice(1).map(({ text }) => text))
})

test('a snapshot contains no API key, and a restored mock keeps its own', () => {
  const other = createMockServer({ world: { apiKeys: [{ name: 'baker', key: 'ck_baker', scopes: [] }] } })
  const snapshot = other.snapshot()
  expect(JSON.stringify(snapshot)).not.toMatch(/ck_baker|baker|apiKeys/)
  const mock = createMockServer()
  const { apiKeys } = mock
  mock.restore(snapshot)
  expect(mock.apiKeys).toEqual(apiKeys)
})

test.each([[null], [{}], [{ format: 'certify-mock', version: 2 }]])(
  'anything but a snapshot of this version is refused, and changes nothing: %j',
  async (snapshot) => {
    const mock = createMockServer()
    await invite(mock)
    expect(() => mock.restore(snapshot as never)).toThrow('not a snapshot that this version can read')
    expect(mock.invites).toHaveLength(1)
  },
)

test('reset after restore goes back to the mock’s own initial world', async () => {
  const mock = createMockServer({ now: NOW })
  const beginning = seen(mock)
  const other = createMockServer({ world: { quizzes: [], tracks: [] } })
  mock.restore(other.snapshot())
  expect(await listTracks(mock)).toEqual([])
  mock.reset()
  expect(seen(mock)).toEqual(beginning)
})

test.each(['callback', 'invite'])('a snapshot with an invalid address of a %s is refused whole', async (place) => {
  const mock = createMockServer()
  const { inviteId } = await invite(mock, { callbackUrl: HOOK })
  mock.callbacks.pause()
  mock.open(inviteId).fail()
  const { worldId } = mock
  const before = mock.snapshot()
  const state = JSON.parse(JSON.stringify(before)) as {
    world: { rows: { invites: { callbackUrl: string }[] } }
    callbacks: { log: { url: string }[] }
  }
  if (place === 'callback') for (const event of state.callbacks.log) event.url = 'nowhere'
  else for (const row of state.world.rows.invites) row.callbackUrl = 'nowhere'
  const { status, text } = await controlText(mock, 'PUT /state', state)
  expect([status, text]).toEqual([400, expect.stringContaining('This is not a snapshot that this version can read')])
  expect(() => mock.restore(state as unknown as MockSnapshot)).toThrow('not a snapshot')
  expect([mock.worldId, mock.snapshot()]).toEqual([worldId, { ...before, world: expect.anything() }])
})
