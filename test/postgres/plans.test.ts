import { expect, test } from 'vitest'
import type { Statement } from '../../src/ledger/postgres/connection.ts'
import { pageStatement } from '../../src/ledger/postgres/pages.ts'
import { CANDIDATES, OVERDUE, SEND } from '../../src/ledger/postgres/store-reads.ts'
import { ADD, REPLACE } from '../../src/ledger/postgres/store-writes.ts'
import { sql } from './server.mjs'
import { freshDatabase, freshLedger } from './setting.ts'

/* The plans are the same with a million: CERTIFY_PLAN_ROWS=1000000. */
const ROWS = Number(process.env['CERTIFY_PLAN_ROWS'] ?? 20_000)

const FILL = `
  INSERT INTO certify.certify_send_records (id, reference, scope, base_url, account, world, email_key, subjects, quiz_id,
    state, input, owner, lease_until, sent_at, settled_at, expires_at, invites, named)
  SELECT nextval('certify.certify_send_ids'), 'r' || n, md5('')::uuid, 'https://certify.test', 'acme', '',
    n || '@example.com', ARRAY['quiz:quiz'], 'quiz', 'created', '{}', 'o', n, n, n, n,
    jsonb_build_array(jsonb_build_object('inviteId', 'inv_' || n, 'expiresMs', n)), '[]'
  FROM generate_series(1, ${ROWS}) AS n;
  INSERT INTO certify.certify_candidates SELECT email_key, scope, id FROM certify.certify_send_records;
  INSERT INTO certify.certify_invite_ids SELECT 'inv_' || id, scope, id FROM certify.certify_send_records;`

test('what a claim and a settlement read and write is found by an index, for every kind of plan', async () => {
  const url = await freshDatabase()
  await freshLedger({ url })
  await sql(url, FILL)
  const statements: Readonly<Record<string, Statement>> = {
    CANDIDATES,
    SEND,
    OVERDUE,
    ADD,
    REPLACE,
    unknown: pageStatement({ filter: { state: 'unknown' } }, true),
    newest: pageStatement({ filter: {} }, true),
    byEmail: pageStatement({ filter: { emailKey: '1@example.com' } }, true),
    byInvite: pageStatement({ filter: { inviteId: 'inv_1' } }, false),
    expiring: pageStatement({ filter: {}, expiring: { from: 1, until: 2 } }, true),
  }
  for (const analyse of ['', 'ANALYZE;']) {
    for (const mode of ['force_generic_plan', 'force_custom_plan']) {
      for (const [name, statement] of Object.entries(statements)) {
        const plan = await sql(
          url,
          `${analyse} SET plan_cache_mode = ${mode}; PREPARE one (text) AS ${statement('"certify"')}; EXPLAIN EXECUTE one ('{"questions":[],"owners":[],"inviteIds":[],"send":{}}')`,
        )
        const scans = plan.split('\n').filter((line) => /Seq Scan/.test(line) && !/certify_ledger/.test(line))
        expect(scans, `${name}, ${mode}, ${analyse}\n${plan}`).toEqual([])
      }
    }
  }
})
