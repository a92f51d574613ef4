import type { Browser } from 'playwright-core'
import { beforeAll, expect, inject, test } from 'vitest'
import { startBrowser } from '../browser/visit.ts'
import { openSearch } from './open-search.ts'

const site = inject('site')
let browser: Browser

beforeAll(async () => {
  browser = await startBrowser()
  return () => browser.close()
})

/* What an integrator types, and what the text that they find has to say. */
test.each([
  ['retry create', /sent again|never send|not to call again|creates? nothing|found the entry/i],
  ['idempotency', /no idempotency key/i],
  ['exit code 6', /outcome is unknown/i],
  ['expires 14 days', /14 days/i],
  ['429 Retry-After', /429[\s\S]*retry-after|retry-after[\s\S]*429/i],
  ['proxy', /HTTPS_PROXY/],
  ['callback signature', /no signature|Standard Webhooks/],
  ['callback token', /HMAC|token of the URL|only the token|Nobody can make such a token/],
  ['resolve unknown', /invites resolve|invites\.resolve|resolve\(/i],
  ['magic address', /pass@/],
  ['callbackUrl admin session', /session[^.]*callbackUrl|callbackUrl[^.]*session/i],
  ['postgres ledger password', /PGPASSWORD/],
  ['may I retry a create', /never after unknown/],
  ['how long is a link valid', /14 days/],
  ['where are emails stored', /addresses/],
  ['delete a candidate', /ledger purge/],
  ['rotate api keys', /rotate keys/i],
  ['what to tell the recruiter', /being checked|We are checking/],
  ['cancel an invite', /no operation that cancels/],
])('who searches for “%s” finds the answer within the first three results', async (query, answer) => {
  const texts = await Promise.all((await search(query)).slice(0, 3).map((link) => sectionAt(link)))
  expect(texts.some((text) => answer.test(text)) || texts).toBe(true)
})

test('who searches for a code of an error finds its page first', async () => {
  for (const code of ['RATE_LIMITED', 'PRIOR_OUTCOME_UNKNOWN', 'CLOCK_SKEW']) {
    const [first = ''] = await search(code)
    expect(first).toContain(`/errors/${code}.html`)
  }
})

/* As a reader does it: by the box of the page. Resolves with the links, best first. */
async function search(query: string): Promise<readonly string[]> {
  /* A new tab: the box remembers the last query of its tab. */
  const page = await browser.newPage()
  try {
    await page.goto(site)
    await (await openSearch(page)).fill(query)
    const results = page.locator('.VPLocalSearchBox a.result')
    await results.first().waitFor()
    return await results.evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''))
  } finally {
    await page.close()
  }
}

/* From the heading of the link to the next heading. */
async function sectionAt(link: string): Promise<string> {
  const [path = '', anchor = ''] = link.split('#')
  const html = await (await fetch(site + path)).text()
  const after = html.split(` id="${decodeURIComponent(anchor)}"`).at(-1) ?? ''
  const [section = ''] = after.split(/<h[1-6][ >]/)
  expect({ link, section }).not.toEqual({ link, section: '' })
  return section.replaceAll(/<[^>]+>/g, '')
}
