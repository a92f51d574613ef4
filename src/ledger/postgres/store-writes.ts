import type { Statement } from './connection.ts'
import { COLUMN_TYPES, COLUMNS, columnNames } from './send-rows.ts'
import { ARGUMENT, NOW } from './store-reads.ts'

/**
 * A value of the result that makes its transaction wait for the disk, also where a server or a role has turned that off: a
 * crash must not lose what was confirmed.
 */
export const DURABLE = `CASE WHEN current_setting('synchronous_commit') = 'off'
    THEN set_config('synchronous_commit', 'on', true) END`

/* Of two claims that were decided by the same facts, the first one changes the candidate's row. The other one waits for it,
   finds another last send, and adds nothing. */
export const ADD: Statement = (schema) => `${ARGUMENT},
  new AS MATERIALIZED (
    SELECT nextval('${schema}.certify_send_ids') AS id, r.*, (SELECT epoch FROM ${schema}.certify_ledger) AS epoch
    FROM jsonb_to_record((SELECT j->'send' FROM a)) AS r (${COLUMN_TYPES})
    WHERE NOT EXISTS (SELECT 1 FROM ${schema}.certify_send_records s WHERE s.reference = r.reference)),
  last AS (
    INSERT INTO ${schema}.certify_candidates AS c (email_key, scope, last_send)
    SELECT email_key, scope, id FROM new
    WHERE (SELECT (j->>'last')::bigint FROM a) = 0 OR EXISTS (
      SELECT 1 FROM ${schema}.certify_candidates k WHERE k.email_key = new.email_key AND k.scope = new.scope)
    ON CONFLICT (email_key, scope) DO UPDATE SET last_send = excluded.last_send
    WHERE c.last_send = (SELECT (j->>'last')::bigint FROM a)
    RETURNING last_send),
  added AS (
    INSERT INTO ${schema}.certify_send_records (id, epoch, ${columnNames()})
    SELECT id, epoch, ${columnNames()} FROM new WHERE EXISTS (SELECT 1 FROM last)
    RETURNING id)
  SELECT json_build_object('done', EXISTS (SELECT 1 FROM added), 'durable', ${DURABLE})::text`

/* An owner may change after the snapshot of the statement. Then fewer rows than expected are owned, and the whole statement is
   rolled back by a division by zero: without a function on the server, there is no other way. */
export const REPLACE: Statement = (schema) => `${ARGUMENT},
  next AS MATERIALIZED (SELECT * FROM jsonb_to_record((SELECT j->'send' FROM a)) AS r (${COLUMN_TYPES})),
  owners AS MATERIALIZED (
    SELECT o->>0 AS invite_id, (o->>1)::bigint AS owner, (o->>2)::boolean AS is_named
    FROM jsonb_array_elements((SELECT j->'owners' FROM a)) AS o),
  replaced AS (
    UPDATE ${schema}.certify_send_records s
    SET version = s.version + 1, ${Object.keys(COLUMNS)
      .map((name) => `"${name}" = next."${name}"`)
      .join(', ')}
    FROM next
    WHERE s.id = (SELECT (j->>'id')::bigint FROM a) AND s.version = (SELECT (j->>'version')::bigint FROM a)
      AND NOT EXISTS (
        SELECT 1 FROM owners WHERE owner <> coalesce((
          SELECT i.send FROM ${schema}.certify_invite_ids i
          WHERE i.invite_id = owners.invite_id AND i.scope = (SELECT scope FROM next)), 0))
    RETURNING s.id, s.scope),
  owned AS (
    INSERT INTO ${schema}.certify_invite_ids AS i (invite_id, scope, send)
    SELECT owners.invite_id, replaced.scope, replaced.id FROM owners, replaced WHERE is_named ORDER BY 1
    ON CONFLICT (invite_id, scope) DO UPDATE SET send = excluded.send,
      earlier = CASE WHEN i.send = excluded.send THEN i.earlier ELSE i.earlier || i.send END
    WHERE i.send = (SELECT owner FROM owners WHERE owners.invite_id = i.invite_id)
    RETURNING 1)
  SELECT json_build_object('done', EXISTS (SELECT 1 FROM replaced), 'durable', ${DURABLE},
    'whole', 1 / (CASE WHEN NOT EXISTS (SELECT 1 FROM replaced)
      OR (SELECT count(*) FROM owned) = (SELECT count(*) FROM owners WHERE is_named) THEN 1 ELSE 0 END))::text`

export const ACCEPT_TIME: Statement = (schema) => `${ARGUMENT},
  accepted AS (UPDATE ${schema}.certify_ledger SET epoch = epoch + 1, accepted_at = ${NOW} RETURNING 1)
  SELECT json_build_object('accepted', count(*))::text FROM accepted`
