import axe from 'axe-core'
import { expect, onTestFinished, test } from 'vitest'
import { startStudio } from '../../bin/studio/server.ts'
import { planCampaign, runCampaign } from '../../src/campaign/index.ts'
import { CertifyClient } from '../../src/index.ts'
import { createRunner } from '../bin/run.ts'
import { all } from '../src/ledger/setting.ts'
import { openLedger } from '../src/ledger/whole.ts'
import { visits } from './visit.ts'

const visit = visits()
const QUIZ = 'quiz_react_beginner_state'
/* The mock loses the responses of these addresses, after or before it creates an invite. */
const LOST = ['cut-after+1', 'cut-after+2', 'cut-after+3', 'cut-before+1', 'cut-before+2'].map(
  (name) => `${name}@candidate.test`,
)
const PEOPLE = Array.from({ length: 200 }, (_each, index) =>
  index % 40 === 20 ? (LOST[Math.floor(index / 40)] ?? '') : `candidate-${index}@example.com`,
)

test('of 200 creates five lose their responses; a person decides them in the studio, and all books agree', async () => {
  const { mock, page } = await visit()
  const { certify, home } = createRunner()
  const path = `${home.folder}/invites.ledger`
  const ledger = await openLedger(path)
  const client = new CertifyClient({ baseUrl: mock.baseUrl, apiKey: mock.apiKey, fetch: mock.fetch, ledger })
  const rows = PEOPLE.map((email) => ({ input: { quizId: QUIZ, candidate: { email } } }))
  const plan = await planCampaign(rows, { client, campaign: 'spring' })
  await all(runCampaign(plan, { concurrency: 2, maxOutageMs: 600_000 }))
  const studio = await startStudio({ ledger, account: undefined, by: 'grace', now: Date.now }, { port: 0 })
  onTestFinished(async () => {
    await studio.close()
    await ledger.close()
  })
  await page.goto(studio.newUrl())
  expect(new URL(page.url()).search).toBe('')
  await page.getByRole('link', { name: '5 need a decision' }).click()
  for (const email of LOST) {
    const exists = mock.invites.some(({ candidate }) => candidate.email === email)
    const answer = exists ? 'It exists' : 'It does not exist'
    /* With the keyboard alone. */
    await page.getByRole('button', { name: `${answer}: ${email}` }).press('Enter')
    const dialog = page.getByRole('dialog', { name: `${answer}: ${email}` })
    if (exists) await dialog.getByLabel('How you know, for the history').press('Tab')
    else await dialog.getByLabel('How you know, for the history').fill('they had no e-mail')
    await dialog.getByLabel('How you know, for the history').press('Enter')
    await page.locator('#settled li').filter({ hasText: email }).waitFor()
  }
  await page.getByText('Nothing is unknown').waitFor()
  expect(await ledger.count({ state: 'created' })).toBe(mock.invites.length)
  expect(mock.invites).toHaveLength(198)
  const listed = await certify(['invites', 'list', '--ledger', path, '--state', 'unknown', '--json'])
  expect(JSON.parse(listed.stdout)).toEqual([])
  const { history } = (await found(ledger, 'cut-before+1@candidate.test')) ?? {}
  expect(history?.at(-1)).toMatchObject({ finding: 'not-created', by: 'grace', note: 'they had no e-mail' })
}, 120_000)

async function found(ledger: Awaited<ReturnType<typeof openLedger>>, email: string) {
  for await (const record of ledger.list({ email })) return record
  return undefined
}

test.each(['light', 'dark'] as const)(
  'in %s mode axe finds nothing in the studio, and nothing is wider than the screen',
  async (colorScheme) => {
    const { mock, page } = await visit({}, { colorScheme, bypassCSP: true })
    const ledger = await openLedger(':memory:')
    const client = new CertifyClient({ baseUrl: mock.baseUrl, apiKey: mock.apiKey, fetch: mock.fetch, ledger })
    const create = (email: string, reference: string) =>
      client.invites.create({ quizId: QUIZ, candidate: { email, name: 'Ada' } }, { reference }).catch(() => {})
    await create('ada@example.com', 'hire-1')
    await create('cut-after@candidate.test', 'hire-2')
    const studio = await startStudio({ ledger, account: undefined, by: 'grace', now: Date.now }, { port: 0 })
    onTestFinished(async () => {
      await studio.close()
      await ledger.close()
    })
    await page.goto(studio.newUrl())
    for (const view of ['/', '/decisions', '/records', '/records/hire-1', '/records/hire-2', '/callbacks', '/nothing'])
      for (const width of [360, 1440]) {
        await page.setViewportSize({ width, height: 800 })
        await page.goto(new URL(view, page.url()).href)
        await page.addScriptTag({ content: axe.source })
        const { violations } = (await page.evaluate('axe.run()')) as { violations: { id: string }[] }
        expect(violations.map(({ id }) => `${view} ${id}`)).toEqual([])
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      }
  },
  60_000,
)
