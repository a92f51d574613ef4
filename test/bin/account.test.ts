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
  const ledger = await openLedger(home.ledger, { clock: { now, startTimer: () => () => {} } })
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
  for (const argv of [invite.with(5, 'bob@example.com'), ['bulk', file, '--yes'], ['bulk', file, '--dry-run']]) {
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
  const { certify, mock, home } = runner
  const file = join(home.folder, 'rows.csv')
  writeFileSync(file, `email,quiz_id\ngrace@example.com,${quizId}\n`)
  const bob = invite.with(5, 'bob@example.com')
  expect(await certify(bob)).toMatchObject({ code: 0, stderr: '' })
  await mock.clock.advance('1m')
  await recordAs('acme-production', runner)
  const warning = 'warning: the ledger also has invites of this service for the account “acme-production”.'
  const again = await certify(bob)
  expect([again.code, wordsOf(again.stderr)]).toEqual([5, expect.stringContaining(warning)])
  await mock.clock.advance('1m')
  expect(await certify([...invite.with(5, 'cem@example.com'), '--account', 'default'])).toMatchObject({
    code: 0,
    stderr: '',
  })
  /* The newest entry is of the default account now. */
  const bulk = await certify(['bulk', file, '--yes'])
  expect([bulk.code, wordsOf(bulk.stderr)]).toEqual([0, expect.stringContaining(warning)])
})

test('a candidate who is recorded under another account is not invited before somebody has chosen one', async () => {
  const runner = createRunner()
  const { certify, mock } = runner
  await recordAs('acme-production', runner)
  await mock.clock.advance('1m')
  const bob = invite.with(5, 'bob@example.com')
  expect(await certify([...bob, '--account', 'default'])).toMatchObject({ code: 0 })
  const { code, stderr } = await certify(invite)
  expect([code, mock.invites.length]).toEqual([2, 2])
  expect(wordsOf(stderr)).toContain('the ledger has invites of this candidate for the account “acme-production”')
})

test('another service, and the same account with spaces, are no reason to ask for the account', async () => {
  const runner = createRunner()
  await recordAs('acme-production', runner, 'https://other.example')
  expect(await runner.certify(invite)).toMatchObject({ code: 0, stderr: '' })
  const spaced = createRunner()
  await recordAs(' default ', spaced)
  expect(await spaced.certify(invite)).toMatchObject({ code: 5 })
})
