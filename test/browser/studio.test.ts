import { readFileSync } from 'node:fs'
import axe from 'axe-core'
import { expect, onTestFinished, test } from 'vitest'
import { startStudio } from '../../bin/studio/server.ts'
import { CertifyClient } from '../../src/index.ts'
import type { Settlement } from '../../src/ledger/rules/model.ts'
import { createRunner } from '../bin/run.ts'
import { claimed, claimOf } from '../src/ledger/contract/samples.ts'
import { openLedger, type WholeLedger } from '../src/ledger/whole.ts'
import { visits } from './visit.ts'

const visit = visits()
const QUIZ = 'quiz_react_beginner_state'
const LOST = Array.from({ length: 12 }, (_each, index) => `lost-${index % 2 ? 'after' : 'before'}-${index}@example.com`)
const PEOPLE = Array.from({ length: 60 }, (_each, index) => ({
  email: index % 5 === 4 ? (LOST[Math.floor(index / 5)] ?? '') : `candidate-${index}@example.com`,
  name: index === 7 ? 'Zoë Knuth' : `Candidate ${index}`,
}))

test('a person finds a candidate, opens a campaign, decides ten by keyboard, undoes, exports; all books agree', async () => {
  const { mock, page, tab } = await visit({}, { permissions: ['clipboard-read', 'clipboard-write'] })
  const { certify, home } = createRunner()
  const path = `${home.folder}/spring.ledger`
  const ledger = await openLedger(path)
  const client = new CertifyClient({ baseUrl: mock.baseUrl, apiKey: mock.apiKey, fetch: mock.fetch, ledger })
  await client.tracks.list()
  for (const [index, candidate] of PEOPLE.entries()) {
    const outcome = index % 5 === 4 ? ({ state: 'unknown', code: 'CONNECTION_LOST' } as const) : undefined
    await recordCreate(ledger, mock.baseUrl, candidate, `row-${index}`, outcome)
  }
  const studio = await startStudio({ ledger, account: undefined, by: 'grace', now: Date.now }, { port: 0 })
  onTestFinished(async () => {
    await studio.close()
    await ledger.close()
  })
  const stateOf = async (email: string) => (await found(ledger, email))?.state
  const url = studio.newUrl()
  await page.goto(url)
  expect(await page.title()).toBe('Overview · spring.ledger · certify.test · account default · certify studio')

  await page.keyboard.press('/')
  await page.keyboard.type('knuth')
  await page.keyboard.press('Enter')
  await page.getByText('1 of 60 records').waitFor()
  await page.getByRole('link', { name: 'Zoë Knuth' }).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.press('Control+a')
  await page.keyboard.type('Turing')
  await page.getByText('Nobody matches “Turing” among 60 records of spring.ledger.').waitFor()

  await page.getByRole('link', { name: 'Overview' }).click()
  await page.getByText('0 of 60 finished, 0 %').first().waitFor()
  await page.getByRole('link', { name: 'spring', exact: true }).click()
  await page.getByRole('link', { name: 'unknown 12' }).click()
  expect(new URL(page.url()).search).toBe('?campaign=spring&status=unknown')
  await page.getByText('12 records').waitFor()

  await page.getByRole('link', { name: 'Needs a decision' }).click()
  await page.locator('.decision').first().waitFor()
  const listed = await page.locator('.decision .name').allTextContents()
  const emails = listed.map((text) => text.split(' ').at(-1) ?? '')
  let keys = 0
  const press = async (key: string) => {
    await page.keyboard.press(key)
    keys += 1
  }
  /* The first and the last are left: one waits, and somebody else decides the other. */
  await press('j')
  for (const email of emails.slice(1, 11)) {
    if (email === emails[1]) await press('j')
    await press(email.includes('after') ? 'e' : 'n')
    await press('Enter')
  }
  expect(keys).toBeLessThanOrEqual(25)
  await page.getByText('2 unknown creates').waitFor()
  for (const email of emails.slice(1, 11))
    expect([email, await stateOf(email)]).toEqual([email, email.includes('after') ? 'created' : 'not-executed'])
  await page.getByText(`${emails[10] ?? ''}.`).waitFor()

  await page.keyboard.press('u')
  await page.getByText('Undone').waitFor()
  expect(await stateOf(emails[10] ?? '')).toBe('unknown')
  await page.getByText('3 unknown creates').waitFor()

  /* A second person, whose question is still open when the page hears that somebody else answered it. */
  const other = await tab.newPage()
  await other.goto(new URL('/decisions', url).href)
  await other.keyboard.press('n')
  const first = await found(ledger, emails[0] ?? '')
  await ledger.resolve(first?.reference ?? '', { created: [], by: 'ann', of: first?.sentAt })
  await other.locator('#unknown').getByText('2', { exact: true }).waitFor()
  await other.keyboard.press('Enter')
  await other.getByText(/Not recorded: .*ann decided at .*: the invite exists\. Nothing was changed/).waitFor()
  expect(await stateOf(emails[0] ?? '')).toBe('created')
  await other.close()

  /* Both that are left, at once. */
  await page.getByText('2 unknown creates').waitFor()
  await page.keyboard.press('a')
  await page.getByText('Copied').waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toContain(
    'the certification “State and Events, beginner”',
  )
  await page.getByText(/^asked \d/).waitFor()
  for (const key of ['k', 'k', 'x', 'j', 'x', 'n']) await page.keyboard.press(key)
  await page.keyboard.type('neither had an e-mail')
  await page.keyboard.press('Enter')
  await page.getByText('It does not exist: 2 records.').waitFor()
  await page.getByText('Nothing needs a decision').waitFor()
  const { history } = (await found(ledger, emails[11] ?? '')) ?? {}
  expect(history?.at(-1)).toMatchObject({ finding: 'not-created', by: 'grace', note: 'neither had an e-mail' })

  await page.getByRole('link', { name: 'Decisions' }).click()
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'CSV' }).click()])
  const csv = readFileSync(await download.path(), 'utf8')
    .trim()
    .split('\r\n')
  expect(csv.filter((line) => line.includes(',grace,does not exist,'))).not.toHaveLength(0)
  expect(csv).toHaveLength(1 + 12 + 2)
  const shown = await certify(['invites', 'list', '--ledger', path, '--state', 'unknown', '--json'])
  expect(JSON.parse(shown.stdout)).toEqual([])
})

/* As a campaign does. Sending that many creates whose responses are lost takes minutes: the circuit breaker pauses. */
async function recordCreate(
  ledger: WholeLedger,
  baseUrl: string,
  candidate: { email: string; name: string },
  reference: string,
  outcome: Settlement = {
    state: 'created',
    invites: [{ inviteId: `inv_${reference}`, expiresAt: '2100-01-01T00:00:00.000Z', quizId: QUIZ }],
  },
) {
  const claim = claimOf({ quizId: QUIZ, candidate }, reference, { baseUrl, campaign: 'spring' })
  await ledger.settle(await claimed(ledger, claim), outcome)
}

async function found(ledger: WholeLedger, email: string) {
  for await (const record of ledger.list({ email })) return record
  return undefined
}

test.each(['light', 'dark'] as const)(
  'in %s mode axe finds nothing in the studio, and nothing is wider than the screen',
  async (colorScheme) => {
    const { mock, page } = await visit({}, { colorScheme, bypassCSP: true })
    const ledger = await openLedger(':memory:')
    const lost = { state: 'unknown', code: 'CONNECTION_LOST' } as const
    for (const [index, outcome] of [undefined, lost, lost, lost].entries()) {
      const reference = `hire-${index + 1}`
      await recordCreate(ledger, mock.baseUrl, { email: `${reference}@example.com`, name: 'Ada' }, reference, outcome)
    }
    await ledger.resolve('hire-4', { notCreated: true, by: 'grace' })
    await receive(ledger)
    const studio = await startStudio({ ledger, account: undefined, by: 'grace', now: Date.now }, { port: 0 })
    onTestFinished(async () => {
      await studio.close()
      await ledger.close()
    })
    const url = studio.newUrl()
    await page.goto(url)
    for (const view of [
      '/',
      '/decisions',
      '/decided',
      '/records',
      '/records?q=nobody',
      '/records/hire-1',
      '/records/hire-2',
      '/callbacks',
      '/nothing',
    ])
      for (const width of [360, 1440]) {
        await page.setViewportSize({ width, height: 800 })
        await page.goto(new URL(view, url).href)
        await page.addScriptTag({ content: axe.source })
        const { violations } = (await page.evaluate('axe.run()')) as { violations: { id: string }[] }
        expect(violations.map(({ id }) => `${view} ${id}`)).toEqual([])
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      }
  },
)

async function receive({ inbox }: WholeLedger) {
  const body = new TextEncoder().encode(
    '{"type":"certification.completed","data":{"inviteId":"inv_1","result":"PASSED"}}',
  )
  for (const [key, reference] of Object.entries({ cb_1: 'hire-1', cb_2: 'hire-9' })) {
    await inbox.append({ key, reference, deliveryId: null, body, receivedAt: 1 })
    await inbox.settle(key, { state: 'failed', error: 'the database is down' })
  }
}
