import type { Client } from 'pg'
import { expect, test } from 'vitest'
import { created, freshDatabase, freshLedger, poolOf, request } from './setting.ts'
import { settle } from '../src/ledger/contract/samples.ts'

test('what must not be lost is committed synchronously, even if the database defaults to synchronous_commit = off', async () => {
  const url = await freshDatabase()
  const admin = poolOf(url)
  await freshLedger({ url })
  await admin.query(`ALTER DATABASE "${new URL(url).pathname.slice(1)}" SET synchronous_commit = off`)
  /* These triggers record the setting at the commit. */
  await admin.query(`
    CREATE TABLE public.commits (what text, setting text);
    CREATE FUNCTION public.note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO public.commits VALUES (TG_TABLE_NAME || ' ' || TG_OP, current_setting('synchronous_commit'));
      RETURN NULL;
    END $$`)
  for (const table of ['certify_sends', 'certify_events']) {
    await admin.query(`CREATE CONSTRAINT TRIGGER at_commit AFTER INSERT OR UPDATE ON certify.${table}
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.note()`)
  }
  let connection: Client | undefined
  const onConnect = (client: Client) => {
    connection = client
  }
  const ledger = await freshLedger({ url, connection: { max: 1, onConnect } })
  await ledger.claim(request('a'))
  await settle(ledger, 'a', created('inv_a'))
  await ledger.inbox.append({ key: 'e', reference: 'a', deliveryId: null, body: new Uint8Array(), receivedAt: 1 })
  expect((await admin.query('SELECT what, setting FROM public.commits')).rows).toEqual([
    { what: 'certify_sends INSERT', setting: 'on' },
    { what: 'certify_sends UPDATE', setting: 'on' },
    { what: 'certify_events INSERT', setting: 'on' },
  ])
  /* Only within its transaction. */
  expect((await connection?.query('SHOW synchronous_commit'))?.rows).toEqual([{ synchronous_commit: 'off' }])
})
