import type { Statement } from './connection.ts'
import { ARGUMENT } from './store-reads.ts'
import { DURABLE } from './store-writes.ts'

const text = (name: string) => `(SELECT j->>'${name}' FROM a)`
const number = (name: string) => `(SELECT (j->>'${name}')::bigint FROM a)`

const EVENT = (row: string) => `json_build_object('id', ${row}.id, 'key', ${row}.key, 'reference', ${row}.reference,
  'deliveryId', ${row}.delivery_id, 'body', encode(${row}.body, 'base64'), 'receivedAt', ${row}.received_at,
  'state', ${row}.state, 'failures', ${row}.failures)`

export const APPEND: Statement = (schema) => `${ARGUMENT},
  added AS (
    INSERT INTO ${schema}.certify_events (key, reference, delivery_id, body, received_at, state, due_at)
    SELECT j->>'key', j->>'reference', j->>'deliveryId', decode(j->>'body', 'base64'), (j->>'receivedAt')::bigint,
      'waiting', (j->>'receivedAt')::bigint
    FROM a ON CONFLICT (key) DO NOTHING RETURNING 1)
  SELECT json_build_object('isNew', EXISTS (SELECT 1 FROM added), 'durable', ${DURABLE})::text`

/* Parked events, and the first waiting event of each reference. */
const isHead = (schema: string) => `(e.state = 'parked' OR e.state = 'waiting' AND NOT EXISTS (
  SELECT 1 FROM ${schema}.certify_events earlier
  WHERE earlier.reference = e.reference AND earlier.state = 'waiting' AND earlier.id < e.id))`

export const TAKE: Statement = (schema) => `${ARGUMENT},
  due AS MATERIALIZED (
    SELECT e.id FROM ${schema}.certify_events e
    WHERE e.state IN ('waiting', 'parked') AND e.due_at <= ${number('now')} AND e.lease_until <= ${number('now')}
      AND ${isHead(schema)}
    ORDER BY e.id LIMIT 1 FOR UPDATE OF e SKIP LOCKED),
  taken AS (
    UPDATE ${schema}.certify_events e SET lease_until = ${number('now')} + ${number('leaseMs')}
    FROM due WHERE e.id = due.id RETURNING e.*)
  SELECT json_build_object('event', (SELECT ${EVENT('taken')} FROM taken))::text`

export const SETTLE: Statement = (schema) => `${ARGUMENT},
  settled AS (
    UPDATE ${schema}.certify_events SET state = ${text('state')}, due_at = ${number('dueAt')}, lease_until = 0,
      invite_id = ${text('inviteId')}, failures = failures + ${number('failures')}
    WHERE key = ${text('key')} RETURNING reference),
  released AS (
    UPDATE ${schema}.certify_events SET state = 'waiting', due_at = 0
    WHERE state = 'parked' AND reference = (SELECT reference FROM settled) AND invite_id = ${text('inviteId')}
      AND ${text('state')} = 'handled' AND key <> ${text('key')})
  SELECT json_build_object('settled', EXISTS (SELECT 1 FROM settled))::text`

export const KNOWS: Statement = (schema) => `${ARGUMENT}
  SELECT json_build_object('is', EXISTS (SELECT 1 FROM ${schema}.certify_events
    WHERE state = 'handled' AND reference = ${text('reference')} AND invite_id = ${text('inviteId')}))::text`

export const NEXT_DUE: Statement = (schema) => `${ARGUMENT}
  SELECT json_build_object('dueAt', (SELECT min(greatest(e.due_at, e.lease_until)) FROM ${schema}.certify_events e
    WHERE e.state IN ('waiting', 'parked') AND ${isHead(schema)}))::text FROM a`

export const REPLAY: Statement = (schema) => `${ARGUMENT},
  replayed AS (
    UPDATE ${schema}.certify_events SET state = 'waiting', due_at = ${number('now')}, lease_until = 0, failures = 0
    WHERE key = ${text('key')} RETURNING 1)
  SELECT json_build_object('is', EXISTS (SELECT 1 FROM replayed))::text`

export const FIND: Statement = (schema) => `${ARGUMENT}
  SELECT json_build_object('event', (
    SELECT ${EVENT('e')} FROM ${schema}.certify_events e WHERE e.key = ${text('key')}))::text`

export const PAGE: Statement = (schema) => `${ARGUMENT},
  page AS (
    SELECT * FROM ${schema}.certify_events
    WHERE id > ${number('last')} AND (${text('state')} IS NULL OR state = ${text('state')}) ORDER BY id LIMIT 500)
  SELECT json_build_object('events', coalesce(json_agg(${EVENT('page')} ORDER BY page.id), '[]'))::text FROM page`

export const REMOVE_OLD: Statement = (schema) => `${ARGUMENT},
  removed AS (
    DELETE FROM ${schema}.certify_events WHERE state = 'handled' AND received_at < ${number('before')} RETURNING 1)
  SELECT json_build_object('removed', count(*))::text FROM removed`
