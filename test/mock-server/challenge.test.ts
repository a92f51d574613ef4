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

test('without script, the buttons of the candidate page start, pass, fail and claim', async () => {
  const mock = createMockServer()
  const { challengeUrl } = await invite(mock)
  const accept = 'text/html'
  const press = async (link: string, label: string) => {
    const page = await (await mock.fetch(link, { headers: { accept } })).text()
    const [, target = ''] = new RegExp(`action="([^"]+)"[^>]*>\\s*<button[^>]*>${label}<`).exec(page) ?? []
    return mock.fetch(new URL(target, link).href, { method: 'POST', headers: { accept }, redirect: 'manual' })
  }
  const started = await press(challengeUrl, 'Start')
  expect([started.status, started.headers.get('location')]).toEqual([303, new URL(challengeUrl).pathname])
  expect(mock.open(challengeUrl).invite.status).toBe('IN_PROGRESS')
  await press(challengeUrl, 'Fail')
  expect(mock.open(challengeUrl).invite.status).toBe('FAILED')
  await press(challengeUrl, 'Claim the retake')
  expect(mock.invites.map(({ followUpOf }) => followUpOf?.kind)).toEqual([undefined, 'retake'])
  const { headers, status } = await mock.fetch(`${challengeUrl}?act=pass`, {
    method: 'POST',
    headers: { accept },
    redirect: 'manual',
  })
  expect([status, headers.get('location')]).toEqual([303, new URL(challengeUrl).pathname])
  expect(mock.open(challengeUrl).invite.status).toBe('FAILED')
})
