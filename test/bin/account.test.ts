import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { CertifyClient, type Fetch } from '../../src/index.ts'
import { openLedger, withLedger } from '../../src/ledger/index.ts'
import { createRunner } from './run.ts'

const quizId = 'quiz_react_beginner_state'
const invite = ['invites', 'create', '--quiz-id', quizId, '--email', 'ada@example.com', '--ledger']

/* What a program records, under a name of its own for the account. */
async function recordAs(
  account: string,
  { mock, home }: ReturnType<typeof createRunner>,
  baseUrl: string = mock.baseUrl,
): Promise<void> {
  mkdirSync(dirname(home.ledger), { recursive: true })
  const now = () => mock.clock.now().getTime()
  const ledger = await openLedger({ path: home.ledger, clock: { now, startTimer: () => () => {} } })
  const fetch: Fetch = (url, init) => mock.fetch(url.replace(baseUrl, mock.baseUrl), init)
  const client = new CertifyClient({ baseUrl, apiKey: mock.apiKey, fetch })
  await withLedger(client, ledger, { account }).invites.create({ quizId, candidate: { email: 'ada@example.com' } })
  await ledger.close()
}

const wordsOf = (text: string) => text.replaceAll(/\s+/g, ' ')

test('a ledger that knows the service only under another account is not used before somebody has chosen one', async () => {
  const runner = createRunner()
  const { certify, mock, home } = runner
  await recordAs('acme-production', runner)
  const file = join(home.folder, 'rows.csv')
  writeFileSync(file, `email,quiz_id\nada@example.com,${quizId}\n`)
  for (const argv of [invite, ['bulk', file, '--yes'], ['bulk', file, '--dry-run']]) {
    const { code, stderr } = await certify(argv)
    expect([code, mock.invites.length]).toEqual([2, 1])
    expect(wordsOf(stderr)).toContain('the ledger has invites of this service for the account “acme-production”')
    expect(wordsOf(stderr)).toContain('Nothing was sent.')
  }
  expect(await certify([...invite, '--account', 'acme-production'])).toMatchObject({ code: 5 })
  expect(await certify(invite, { env: { CERTIFY_ACCOUNT: 'default' } })).toMatchObject({ code: 0, stderr: '' })
  expect(mock.invites).toHaveLength(2)
})

test('a ledger that knows the service under both accounts is used with a warning, unless one was chosen', async () => {
  const runner = createRunner()
  const { certify, mock } = runner
  expect(await certify(invite)).toMatchObject({ code: 0, stderr: '' })
  await recordAs('acme-production', runner)
  const other = [...invite.slice(0, 4), 'quiz_react_beginner_effects', ...invite.slice(5)]
  const { code, stderr } = await certify(invite)
  expect([code, mock.invites.length]).toEqual([5, 2])
  expect(wordsOf(stderr)).toContain(
    'warning: the ledger also has invites of this service for the account “acme-production”.',
  )
  expect((await certify([...other, '--account', 'default'])).stderr).not.toContain('warning')
})

test('another service, and the same account with spaces, are no reason to ask for the account', async () => {
  const runner = createRunner()
  await recordAs('acme-production', runner, 'https://other.example')
  expect(await runner.certify(invite)).toMatchObject({ code: 0, stderr: '' })
  const spaced = createRunner()
  await recordAs(' default ', spaced)
  expect(await spaced.certify(invite)).toMatchObject({ code: 5 })
})
