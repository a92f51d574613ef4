import { describe } from 'vitest'
import type { MockServer } from '../../mock-server/contract/mock-server.ts'
import { test } from '../../mock-server/vitest.ts'
import { invite, QUIZ } from './calls.ts'

const seen: MockServer[] = []

describe('each test has its own world', () => {
  for (const nth of [1, 2]) {
    test(`the world of test ${nth} is in its initial state`, async ({ mock, expect }) => {
      expect(mock.invites).toEqual([])
      await invite(mock)
      expect(seen).not.toContain(mock)
      seen.push(mock)
    })
  }
})

/* The second test looks at what the first one left. */
describe('a mock is closed after its test', { shuffle: false }, () => {
  let url = ''

  test('a test may leave a listener open', async ({ mock, expect }) => {
    url = (await mock.listen()).url
    expect((await fetch(url)).status).toBe(200)
  })

  test('after it, nothing listens any more', async ({ expect }) => {
    await expect(fetch(url)).rejects.toThrow('fetch failed')
  })
})

/* test/runtimes runs these tests with older versions of Vitest too. */
const isOld = !Reflect.has(test, 'override')

describe('options', () => {
  const frozen = test.extend({ mockOptions: { now: '2030-01-01T00:00:00Z', baseUrl: 'https://api.example.test' } })

  frozen.skipIf(isOld)('are set with extend, as of Vitest 4.1', async ({ mock, expect }) => {
    const { expiresAt, challengeUrl } = await invite(mock, { quizId: QUIZ })
    expect([mock.clock.now().getUTCFullYear(), expiresAt]).toEqual([2030, '2030-01-15T00:00:00.000Z'])
    expect(challengeUrl).toMatch(/^https:\/\/api\.example\.test\/challenge\//)
  })

  describe('of one suite', () => {
    const options = { mockOptions: { seed: 'another' } }
    if (isOld) test.scoped(options)
    else test.override(options)

    test('are set with override', async ({ mock, mockOptions, expect }) => {
      expect(mockOptions).toEqual({ seed: 'another' })
      expect(mock.invites).toEqual([])
    })
  })
})
