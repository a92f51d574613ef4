import { expect, test } from 'vitest'
import { createMockServer } from '../../mock-server/index.ts'
import { invite } from './calls.ts'

const NOW = '2030-03-01T09:30:00.000Z'

test('a challenge link shows the skill and how long it stays open', async () => {
  const mock = createMockServer({ now: NOW })
  const { challengeUrl } = await invite(mock)
  await mock.clock.advance('25h')
  const response = await mock.fetch(challengeUrl)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
  const text = await response.text()
  expect(text).toContain('State and Events (BEGINNER)')
  expect(text).toContain('open until 2030-03-15T09:30:00.000Z: 12 days and 23 hours from now')
})

test('an unknown link is a 404, and links answer GET and HEAD only', async () => {
  const mock = createMockServer()
  const { challengeUrl } = await invite(mock)
  expect((await mock.fetch(`${mock.baseUrl}/challenge/nothing`)).status).toBe(404)
  expect((await mock.fetch(`${mock.baseUrl}/challenge/__proto__`)).status).toBe(404)
  expect((await mock.fetch(challengeUrl, { method: 'POST' })).status).toBe(405)
  const head = await mock.fetch(challengeUrl, { method: 'HEAD' })
  expect([head.status, await head.text()]).toEqual([200, ''])
})

test('links start with the complete base URL, path included, and work there', async () => {
  const mock = createMockServer({ baseUrl: 'https://Sandbox.Example.test:8443/tenant-7/' })
  expect(mock.baseUrl).toBe('https://sandbox.example.test:8443/tenant-7')
  const { challengeUrl } = await invite(mock)
  expect(challengeUrl).toMatch(/^https:\/\/sandbox\.example\.test:8443\/tenant-7\/challenge\/\w+$/)
  expect((await mock.fetch(challengeUrl)).status).toBe(200)
})
