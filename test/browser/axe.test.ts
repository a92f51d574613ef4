import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { VIEWS } from '../../mock-server/contract/paths.ts'
import { CREATE } from '../mock-server/calls.ts'
import { create, visits } from './visit.ts'

/* Rules for every view, in both schemes and at three widths. */

const visit = visits()
const PATHS = VIEWS.map(({ path }) => path)
const WIDTHS = [1280, 768, 360]

/** A mock with something to show in each view. */
async function begin(colorScheme: 'light' | 'dark') {
  const { mock, url, page } = await visit({}, { colorScheme, bypassCSP: true })
  await create(mock, { callbackUrl: 'https://app.example/hook' })
  const { inviteId = '', challengeUrl = '' } = mock.invites[0] ?? {}
  mock.open(inviteId).fail()
  mock.open(inviteId).claim('retake')
  await mock.settle()
  await mock.fetch(mock.endpoint, { method: 'POST', body: JSON.stringify({ query: CREATE }) })
  mock.faults.add({ operation: 'developerCertificationPackageTracks', fault: 503 })
  mock.openSession({ id: 'worker-1' })
  const details = { invite: `/invites/${inviteId}`, 'e-mail': `/outbox/${inviteId}`, 'no page': '/nothing' }
  const addressOf = (view: string): string =>
    view === 'candidate' ? challengeUrl.replace(mock.baseUrl, url) : url + (Object(details)[view] ?? view)
  return { page, addressOf }
}

async function violations(page: Page): Promise<unknown[]> {
  await page.addScriptTag({ content: axe.source })
  const found = (await page.evaluate('axe.run()')) as { violations: { id: string; nodes: { html: string }[] }[] }
  return found.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])
}

describe.each(['light', 'dark'] as const)('in %s mode', (colorScheme) => {
  test.each([...PATHS, 'invite', 'e-mail', 'candidate', 'no page'])(
    '%s: axe finds nothing, nothing is wider than the screen, and there are at most five font sizes',
    async (view) => {
      const { page, addressOf } = await begin(colorScheme)
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 740 })
        await page.goto(addressOf(view))
        for (const details of await page.locator('main details > summary').all()) {
          if (await details.isVisible()) await details.click()
        }
        expect(await violations(page)).toEqual([])
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
        expect(await page.evaluate(SIZES)).toBeLessThanOrEqual(5)
        expect(await page.evaluate(HEADER)).toBeLessThan(width < 1000 ? 0.15 * 740 : 60)
      }
    },
  )
})

const SIZES = `new Set([...document.querySelectorAll('body *')].filter((each) => each.innerText).map((each) => getComputedStyle(each).fontSize)).size`
const HEADER = "document.querySelector('header')?.getBoundingClientRect().height ?? 0"

test('in forced colours badges and buttons keep their borders', async () => {
  const { mock, url, page } = await visit({}, { forcedColors: 'active' })
  await create(mock)
  await page.goto(`${url}/invites`)
  for (const shape of ['.badge', '.button', 'button']) {
    const border = `getComputedStyle(document.querySelector('main ${shape}')).borderTopStyle`
    expect([shape, await page.evaluate(border)]).toEqual([shape, 'solid'])
  }
})

test('the header keeps its height when a fault is added', async () => {
  const { mock, url, page } = await visit()
  await page.goto(url)
  const before = await page.evaluate(HEADER)
  mock.faults.add({ fault: 503 })
  mock.callbacks.pause()
  await page.locator('#active-faults', { hasText: '1' }).waitFor()
  await page.locator('#callbacks-paused', { hasText: 'paused' }).waitFor()
  expect(await page.evaluate(HEADER)).toBe(before)
})

test('the chosen colour scheme survives a reload', async () => {
  const { url, page } = await visit({}, { colorScheme: 'light' })
  await page.goto(url)
  const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
  const light = await ground()
  await page.getByRole('button', { name: 'Colours' }).click()
  const dark = await ground()
  expect(dark).not.toBe(light)
  await page.reload()
  expect(await ground()).toBe(dark)
  await page.getByRole('button', { name: 'Colours' }).click()
  await page.reload()
  expect(await ground()).toBe(light)
})

test('a long text and a bidirectional override are bounded and isolated in every list', async () => {
  const { mock, url, page } = await visit()
  const name = `\u202E${'very long '.repeat(100)}end`
  const callbackUrl = `https://sandbox.callback/${'x'.repeat(3000)}`
  await create(mock, { candidate: { name, email: 'ada@example.com' }, callbackUrl })
  mock.open(mock.invites[0]?.inviteId ?? '').pass()
  await mock.settle()
  await page.goto(`${url}/invites`)
  expect((await page.locator('#invites tbody tr').boundingBox())?.height).toBeLessThan(130)
  await page.goto(`${url}/callbacks`)
  expect((await page.locator('.entries > li').boundingBox())?.height).toBeLessThan(220)
  const isolated =
    "[...document.querySelectorAll('bdi')].every((each) => getComputedStyle(each).unicodeBidi.includes('isolate'))"
  expect(await page.evaluate(isolated)).toBe(true)
})
