import type { Statement } from './connection.ts'
import { COLUMN_TYPES, columnNames } from './send-rows.ts'
import { ARGUMENT } from './store-reads.ts'
import { DURABLE } from './store-writes.ts'

/* Copied sends do not count for the latest time: another clock has set theirs. */
const EPOCH = -1

/** Adds the sends whose references are new, in their order, after all others. Resolves with the references of the added. */
export const ADD_ALL: Statement = (schema) => `${ARGUMENT},
  sends AS MATERIALIZED (
    SELECT nextval('${schema}.certify_send_ids') AS id, ordered.* FROM (
      SELECT r.* FROM jsonb_array_elements((SELECT j->'sends' FROM a)) WITH ORDINALITY AS each (send, number),
        jsonb_to_record(each.send) AS r (${COLUMN_TYPES})
      WHERE NOT EXISTS (SELECT 1 FROM ${schema}.certify_send_records s WHERE s.reference = r.reference)
      ORDER BY each.number OFFSET 0) AS ordered),
  added AS (
    INSERT INTO ${schema}.certify_send_records (id, epoch, ${columnNames()})
    SELECT id, ${EPOCH}, ${columnNames()} FROM sends RETURNING id, reference, scope, email_key),
  last AS (
    INSERT INTO ${schema}.certify_candidates AS c (email_key, scope, last_send)
    SELECT email_key, scope, max(id) FROM added GROUP BY email_key, scope ORDER BY email_key, scope
    ON CONFLICT (email_key, scope) DO UPDATE SET last_send = greatest(c.last_send, excluded.last_send)),
  named AS (
    SELECT DISTINCT each->>'inviteId' AS invite_id, sends.scope, sends.id
    FROM sends, jsonb_array_elements(sends.invites || sends.named) AS each),
  owned AS (
    INSERT INTO ${schema}.certify_invite_ids AS i (invite_id, scope, send, earlier)
    SELECT invite_id, scope, max(id), array_remove(array_agg(id ORDER BY id), max(id))
    FROM named GROUP BY invite_id, scope ORDER BY invite_id, scope
    ON CONFLICT (invite_id, scope) DO UPDATE SET send = excluded.send, earlier = i.earlier || i.send || excluded.earlier)
  SELECT json_build_object('added', coalesce(json_agg(reference), '[]'), 'durable', ${DURABLE})::text FROM added`

/** The sends with these references. */
export const SENDS: Statement = (schema) => `${ARGUMENT}
  SELECT json_build_object('sends', coalesce(json_agg(to_json(s)), '[]'))::text
  FROM ${schema}.certify_send_records s
  WHERE s.reference IN (SELECT jsonb_array_elements_text((SELECT j->'references' FROM a)))`
