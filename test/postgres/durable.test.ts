import { expect, test } from 'vitest'
import { openPostgresInbox } from '../../src/ledger/postgres/index.ts'
import { created, freshDatabase, freshLedger, poolOf, request } from './setting.ts'

test('what must not be lost waits for the disk, also if the database does not by itself', async () => {
  const url = await freshDatabase()
  const admin = poolOf(url)
  await (await freshLedger({ url })).close()
  await admin.query(`ALTER DATABASE "${new URL(url).pathname.slice(1)}" SET synchronous_commit = off`)
  /* At the commit, these write down the setting that it has. */
  await admin.query(`
    CREATE TABLE public.commits (what text, setting text);
    CREATE FUNCTION public.note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO public.commits VALUES (TG_TABLE_NAME || ' ' || TG_OP, current_setting('synchronous_commit'));
      RETURN NULL;
    END $$`)
  for (const table of ['certify_send_records', 'certify_events', 'certify_outbox']) {
    await admin.query(`CREATE CONSTRAINT TRIGGER at_commit AFTER INSERT OR UPDATE ON certify.${table}
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.note()`)
  }
  const client = poolOf(url, { max: 1 })
  const ledger = await freshLedger({ client })
  await ledger.claim(request('a'))
  await ledger.settle('a', created('inv_a'))
  const inbox = await openPostgresInbox({ client })
  const event = { key: 'e', reference: 'a', deliveryId: null, body: new Uint8Array(), receivedAt: 1 }
  await inbox.append(event)
  await ledger.enqueue(client, request('w').input, { account: 'acme', reference: 'w' })
  await ledger.outbox.cancel('w')
  expect((await admin.query('SELECT what, setting FROM public.commits')).rows).toEqual([
    { what: 'certify_send_records INSERT', setting: 'on' },
    { what: 'certify_send_records UPDATE', setting: 'on' },
    { what: 'certify_events INSERT', setting: 'on' },
    /* The transaction of the caller is the caller's. */
    { what: 'certify_outbox INSERT', setting: 'off' },
    { what: 'certify_outbox UPDATE', setting: 'on' },
  ])
  /* Of its transaction only. */
  expect((await client.query('SHOW synchronous_commit')).rows).toEqual([{ synchronous_commit: 'off' }])
})
