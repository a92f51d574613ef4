import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { sql } from './server.mjs'
import { created, freshDatabase, freshLedger, request } from './setting.ts'
import { settle } from '../src/ledger/contract/samples.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/queues.md'), 'utf8')
const [privileges = '', view = ''] = [...page.matchAll(/^```sql\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block)

test('the documented role can do everything it needs, and the reporting role sees results but no link', async () => {
  const url = await freshDatabase()
  await freshLedger({ url })
  await sql(url, privileges + view)
  onTestFinished(async () => {
    for (const role of ['certify_app', 'certify_reports']) await sql(url, `DROP OWNED BY ${role}; DROP ROLE ${role}`)
  })
  await sql(url, "ALTER ROLE certify_app PASSWORD 'app'; ALTER ROLE certify_reports PASSWORD 'reports'")
  const as = (role: string, password: string) => Object.assign(new URL(url), { username: role, password }).href
  const ledger = await freshLedger({ url: as('certify_app', 'app') })
  const send = async (reference: string, email: string) => {
    await ledger.claim(request(reference, email))
    const { state, invites } = created(`inv_${reference}`)
    const link = { challengeUrl: 'https://certify.test/challenge/1' }
    await settle(ledger, reference, { state, invites: invites.map((invite) => ({ ...invite, ...link })) })
  }
  await send('a', 'Ada@example.com')
  await send('b', 'bob@example.com')
  const completed = { type: 'certification.completed', inviteId: 'inv_b', result: 'PASSED', quizId: null }
  await ledger.inbox.learn({ ...completed, reference: 'b', key: 'e', receivedAt: 1 } as never)

  const reports = as('certify_reports', 'reports')
  const open =
    "SELECT email, quiz_id, invite_id, expires_at FROM reports.invites WHERE state = 'created' AND result IS NULL"
  expect(await sql(reports, open)).toBe('ada@example.com|quiz|inv_a|2099-01-15 00:00:00+00')
  expect(await sql(reports, 'SELECT * FROM reports.invites')).toMatch(/inv_b.*passed/)
  expect(await sql(reports, 'SELECT * FROM reports.invites')).not.toContain('challenge')
  await expect(sql(reports, 'SELECT * FROM certify.certify_sends')).rejects.toThrow('permission denied')
})
