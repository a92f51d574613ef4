import type { Statement } from './connection.ts'
import { ARGUMENT, NOW } from './store-reads.ts'

export const REMOVE_BY_EMAIL: Statement = (schema) =>
  removal(schema, {
    matching: "s.email_key = (SELECT j->>'emailKey' FROM a)",
    removable: "s.state <> 'sending'",
    candidates: "c.email_key = (SELECT j->>'emailKey' FROM a)",
  })

/* Entries that no longer block a send: also unknown ones before a later invite, as in blocking.ts. */
export const REMOVE_BY_AGE: Statement = (schema) =>
  removal(schema, {
    matching: `s.sent_at < (SELECT ${NOW} - (j->>'olderThanMs')::bigint FROM a)`,
    removable: `(s.state IN ('refused', 'not-executed') OR s.expires_at <= (SELECT ${NOW}) AND (s.state = 'created'
      OR s.state = 'unknown' AND EXISTS (SELECT 1 FROM ${schema}.certify_send_records later
        WHERE later.email_key = s.email_key AND later.scope = s.scope AND later.id > s.id AND later.state = 'created'
          AND later.quiz_id IS NOT DISTINCT FROM s.quiz_id AND later.package_id IS NOT DISTINCT FROM s.package_id)))`,
    candidates: '(c.email_key, c.scope) IN (SELECT email_key, scope FROM gone)',
  })

interface Removal {
  readonly matching: string
  readonly removable: string
  readonly candidates: string
}

/* A candidate without sends is forgotten too, unless another send was added meanwhile: `last_send` is compared again when
   the row is locked. */
const removal = (schema: string, { matching, removable, candidates }: Removal) => `${ARGUMENT},
  gone AS (
    DELETE FROM ${schema}.certify_send_records s WHERE ${matching} AND ${removable}
    RETURNING s.id, s.reference, s.email_key, s.scope),
  events AS (DELETE FROM ${schema}.certify_events WHERE reference IN (SELECT reference FROM gone)),
  empty AS MATERIALIZED (
    SELECT c.email_key, c.scope, c.last_send FROM ${schema}.certify_candidates c
    WHERE ${candidates} AND NOT EXISTS (
      SELECT 1 FROM ${schema}.certify_send_records s
      WHERE s.email_key = c.email_key AND s.scope = c.scope
        AND NOT EXISTS (SELECT 1 FROM gone WHERE gone.id = s.id))),
  forgotten AS (
    DELETE FROM ${schema}.certify_candidates c USING empty
    WHERE c.email_key = empty.email_key AND c.scope = empty.scope AND c.last_send = empty.last_send)
  SELECT json_build_object('removed', (SELECT count(*) FROM gone),
    'kept', (SELECT count(*) FROM ${schema}.certify_send_records s WHERE ${matching})
      - (SELECT count(*) FROM gone))::text`
