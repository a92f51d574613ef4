import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Context } from '../../bin/context.ts'
import { ledgerView } from '../../bin/sandbox/ledger-view.ts'
import { serverOf } from '../../mock-server/server.ts'
import { CertifyClient } from '../../src/index.ts'
import { ownFolder } from '../src/ledger/setting.ts'
import { openLedger } from '../src/ledger/whole.ts'

test('beside the service, a ledger shows what agrees, what is unknown, and what it does not have', async () => {
  const path = join(ownFolder(), 'invites.ledger')
  const place = () => ({ path: { value: path, origin: '--ledger' } })
  const view = ledgerView({ io: { now: Date.now }, place } as unknown as Context)
  const { mock } = serverOf({}, { views: [view] })
  const page = async () => (await mock.fetch(`${mock.baseUrl}/ledger`, { headers: { accept: 'text/html' } })).text()
  expect(await page()).toContain('Nothing was created here yet')
  const ledger = await openLedger(path)
  onTestFinished(() => ledger.close())
  const { baseUrl, apiKey, fetch } = mock
  const recorded = new CertifyClient({ baseUrl, apiKey, fetch, ledger })
  const create = (client: CertifyClient, email: string) =>
    client.invites.create({ quizId: 'quiz_react_beginner_state', candidate: { email } }).catch(() => {})
  for (const name of ['ada@example.com', 'cut-after@candidate.test']) await create(recorded, name)
  await create(new CertifyClient({ baseUrl, apiKey, fetch, ledger, account: 'other' }), 'cut-before@candidate.test')
  await create(new CertifyClient({ baseUrl, apiKey, fetch }), 'grace@example.com')
  const said = async () => {
    const rows = (await page()).split('<tr>').slice(2)
    return rows.map((row) => [
      /[\w-]+@[\w.]+/.exec(row)?.[0],
      />(agrees|unknown, [\w ]+|not in [\w ]+)</.exec(row)?.[1],
    ])
  }
  const verdicts = [
    ['grace@example.com', 'not in the ledger'],
    ['cut-before@candidate.test', 'unknown, and it does not exist'],
    ['cut-after@candidate.test', 'unknown, but it exists'],
    ['ada@example.com', 'agrees'],
  ]
  expect(await said()).toEqual(verdicts)
  for await (const { reference, input } of ledger.list({ state: 'unknown' }))
    if (input.candidate.email === 'cut-after@candidate.test') await ledger.resolve(reference, { created: [] })
  expect(await said()).toEqual(verdicts.with(2, ['cut-after@candidate.test', 'agrees']))
})
