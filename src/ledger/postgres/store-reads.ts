import type { Statement } from './connection.ts'

/* The argument is read once, and values come from subqueries: so the plan is the same for every value, with an index. */
export const ARGUMENT = 'WITH a AS MATERIALIZED (SELECT $1::text::jsonb AS j)'

/** The time of the argument, or of the database. */
export const NOW =
  "coalesce((SELECT (j->>'now')::bigint FROM a), floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)"

export const NOW_ONLY: Statement = () => `${ARGUMENT} SELECT json_build_object('now', ${NOW})::text`

/* Only sends since a person has accepted the clock. */
const latest = (schema: string) => `(
  SELECT greatest(accepted_at, (SELECT max(sent_at) FROM ${schema}.certify_send_records s WHERE s.epoch = ledger.epoch))
  FROM ${schema}.certify_ledger ledger)`

export const CANDIDATES: Statement = (schema) => `${ARGUMENT}
  SELECT json_build_object('now', ${NOW}, 'latest', ${latest(schema)}, 'candidates', (
    SELECT coalesce(json_agg(json_build_object(
      'last', coalesce((
        SELECT last_send FROM ${schema}.certify_candidates
        WHERE email_key = q.value->>'emailKey' AND scope = (SELECT (j->>'scope')::uuid FROM a)), 0),
      'sends', (
        SELECT coalesce(json_agg(to_json(s) ORDER BY s.id), '[]') FROM ${schema}.certify_send_records s
        WHERE s.email_key = q.value->>'emailKey' AND s.scope = (SELECT (j->>'scope')::uuid FROM a)
          AND s.state IN ('sending', 'created', 'unknown')
          AND s.subjects && ARRAY(SELECT jsonb_array_elements_text(q.value->'subjects')))
    ) ORDER BY q.number), '[]')
    FROM jsonb_array_elements((SELECT j->'questions' FROM a)) WITH ORDINALITY AS q (value, number)))::text`

export const SEND: Statement = (schema) => `${ARGUMENT},
  send AS MATERIALIZED (
    SELECT * FROM ${schema}.certify_send_records WHERE reference = (SELECT j->>'reference' FROM a)),
  owners AS MATERIALIZED (
    SELECT id AS invite_id, coalesce((
      SELECT send FROM ${schema}.certify_invite_ids i
      WHERE i.invite_id = id AND i.scope = (SELECT scope FROM send)), 0) AS owner
    FROM jsonb_array_elements_text((SELECT j->'inviteIds' FROM a)) AS id)
  SELECT json_build_object('now', ${NOW},
    'send', (SELECT to_json(send) FROM send),
    'others', (
      SELECT coalesce(json_agg((SELECT to_json(s) FROM ${schema}.certify_send_records s WHERE s.id = each.owner)), '[]')
      FROM (SELECT DISTINCT owner FROM owners WHERE owner NOT IN (0, (SELECT id FROM send))) AS each),
    'owners', (SELECT coalesce(json_agg(json_build_array(invite_id, owner)), '[]') FROM owners))::text`

export const OVERDUE: Statement = (schema) => `${ARGUMENT}
  SELECT json_build_object('references', coalesce(json_agg(reference), '[]'))::text FROM (
    SELECT reference FROM ${schema}.certify_send_records
    WHERE state = 'sending' AND lease_until <= (SELECT ${NOW}) ORDER BY lease_until LIMIT 200) AS overdue`

export const CHECK: Statement = (schema) => `${ARGUMENT}
  SELECT json_build_object(
    'entries', (SELECT json_object_agg(state, number) FROM (
      SELECT state, count(*) AS number FROM ${schema}.certify_send_records GROUP BY state) AS states),
    'scopes', (SELECT coalesce(json_agg(scopes), '[]') FROM (
      SELECT DISTINCT base_url, account, world FROM ${schema}.certify_send_records) AS scopes),
    'withoutCandidate', (SELECT count(*) FROM ${schema}.certify_send_records s WHERE NOT EXISTS (
      SELECT 1 FROM ${schema}.certify_candidates c
      WHERE c.email_key = s.email_key AND c.scope = s.scope AND c.last_send >= s.id)),
    'withoutOwner', (SELECT count(*) FROM ${schema}.certify_send_records s, jsonb_array_elements(s.invites) AS invite
      WHERE NOT EXISTS (SELECT 1 FROM ${schema}.certify_invite_ids i
        WHERE i.invite_id = invite->>'inviteId' AND i.scope = s.scope)))::text`
