import { expect, test } from 'vitest'
import type { MockServerOptions } from '../../mock-server/generated/contract.ts'
import { createMockServer } from '../../mock-server/index.ts'
import { ask, CREATE, INES, invite, QUIZ } from './calls.ts'

test.each<[object, RegExp]>([
  [{ nonsense: 1 }, /the mock has no nonsense; there are baseUrl, seed/],
  [{ callbacks: { host: {} } }, /callbacks has no host; there are deliver, hosts/],
  [{ world: { track: [] } }, /world has no track/],
  [{ callbacks: { hosts: { 'app.example': 'http://127.0.0.1:3000' } } }, /"app.example" is no origin/],
  [{ callbacks: { hosts: { 'https://app.example': 'localhost:3000' } } }, /"localhost:3000" is no origin/],
  [{ behaviour: { pendingInvite: 'deny' } }, /behaviour.pendingInvite has to be allow, refuse, return-existing/],
  [{ behaviour: { certificationValidity: '2y' } }, /certificationValidity has to be two-years.*a length of time/],
  [{ behaviour: { rateLimit: { requests: 1, per: '1 hour' } } }, /rateLimit has to be none, or \{ requests, per \}/],
  [{ behaviour: { callbackRetries: ['1 s'] } }, /callbackRetries has to be a list of lengths of time/],
  [{ behaviour: { callbackSigning: { standardWebhooks: 'not base64!' } } }, /callbackSigning has to be/],
  [{ behaviour: { errorStatus: 500 } }, /errorStatus has to be 200, 400/],
  [{ behaviour: { sessionScopes: ['ADMIN'] } }, /sessionScopes has to be all, or a list of/],
])('invalid options are refused: %j', (options, message) => {
  expect(() => createMockServer(options as MockServerOptions)).toThrow(message)
})

test('one error reports everything that is wrong with options', () => {
  const options = { nonsense: 1, behaviour: { pendingInvite: 'deny' } } as unknown as MockServerOptions
  expect(() => createMockServer(options)).toThrow(/no nonsense.*pendingInvite has to be/)
})

test('a switch that is set to undefined is as if it were left out', async () => {
  const mock = createMockServer({ behaviour: { pendingInvite: undefined } as object })
  await invite(mock)
  await invite(mock)
  expect(mock.invites).toHaveLength(2)
})

test('what a mock shows cannot be changed into another world', () => {
  const mock = createMockServer()
  const [quiz, pack, key] = [mock.quizzes[0], mock.tracks[0]?.packages[0], mock.apiKeys[0]]
  for (const list of [quiz?.enabledLanguages, pack?.quizIds, key?.scopes]) {
    expect(() => (list as string[]).push('changed')).toThrow(TypeError)
  }
})

test('a fault after the effect has no effect where the rate limit has none', async () => {
  const mock = createMockServer({ now: '2030-01-01T00:00:00Z', behaviour: { rateLimit: { requests: 1, per: '1h' } } })
  await invite(mock)
  mock.faults.add({ phase: 'after', fault: 'cut' })
  await ask(mock, CREATE, { input: { quizId: QUIZ, candidate: INES } }).catch(() => {})
  expect(mock.invites).toHaveLength(1)
})

test('the clock cannot be moved beyond the last moment that there is', async () => {
  const mock = createMockServer({ now: '2030-01-01T00:00:00Z' })
  await expect(mock.clock.advance('200000000d')).rejects.toThrow('cannot go beyond')
  await invite(mock)
})
