import type { Statement } from './connection.ts'
import { wishState } from './outbox-schema.ts'
import { DURABLE } from './store-writes.ts'

/** The channel of notifications. Their payload is the quoted name of the schema. */
export const CHANNEL = 'certify_outbox'

/* Read once in a statement, so that an index can be used. */
const GIVEN = `given AS MATERIALIZED (
  SELECT j, coalesce((j->>'now')::numeric::bigint, (extract(epoch FROM clock_timestamp()) * 1000)::bigint) AS now
  FROM (SELECT $1::text::jsonb AS j) AS argument)`

/** A wish `o` as {@link Wish}, with times in milliseconds. */
const wishOf = (schema: string) => `json_build_object('id', o.id, 'reference', o.reference, 'account', o.account,
  'state', ${wishState(schema)}, 'input', o.input, 'campaign', o.campaign, 'ifInvited', o.if_invited,
  'enqueuedAt', o.enqueued_at, 'dueAt', o.due_at, 'endedAt', o.ended_at, 'tries', o.tries,
  'entry', o.entry, 'code', o.code)`

/* Sent when the transaction is committed. Nobody waits for a wish that is due later. */
const notify = (schema: string, rows: string) =>
  `(SELECT count(pg_notify('${CHANNEL}', '${schema}')::text) FROM ${rows}, given WHERE due_at <= given.now)`

/* Clients of callers may know other marks for its argument: so it has one `$1`, and nothing else that looks like a mark. */
export const ENQUEUE: Statement = (schema) => `WITH ${GIVEN},
added AS (
  INSERT INTO ${schema}.certify_outbox
    (reference, account, email_key, input, if_invited, campaign, enqueued_at, due_at)
  SELECT j->>'reference', j->>'account', j->>'emailKey', j->'input', j->>'ifInvited', j->>'campaign', now,
    greatest(now, (j->>'notBefore')::bigint)
  FROM given
  ON CONFLICT (reference) DO NOTHING
  RETURNING due_at)
SELECT json_build_object(
  'added', EXISTS (SELECT 1 FROM added),
  'notified', ${notify(schema, 'added')},
  'known', (SELECT ${wishOf(schema)} FROM ${schema}.certify_outbox o, given WHERE o.reference = j->>'reference'))::text`

/** The wish with a reference. */
export const FIND: Statement = (schema) => `WITH ${GIVEN}
SELECT (SELECT ${wishOf(schema)} FROM ${schema}.certify_outbox o, given WHERE o.reference = j->>'reference')::text`

/** A page of wishes, the newest first. */
export const LIST: Statement = (schema) => `WITH ${GIVEN},
page AS (
  SELECT o.id, ${wishOf(schema)} AS wish
  FROM given, ${schema}.certify_outbox o
  WHERE (j->>'before' IS NULL OR o.id < (j->>'before')::bigint)
    AND (j->>'state' IS NULL OR (o.state IN (j->>'state', 'unknown') AND ${wishState(schema)} = j->>'state'))
    AND (j->>'account' IS NULL OR o.account = j->>'account')
    AND (j->>'campaign' IS NULL OR o.campaign = j->>'campaign')
    AND (j->>'emailKey' IS NULL OR o.email_key = j->>'emailKey')
  ORDER BY o.id DESC
  LIMIT 500)
SELECT coalesce(json_agg(wish ORDER BY id DESC), '[]')::text FROM page`

export const COUNTS: Statement = (schema) => `WITH ${GIVEN},
counted AS (
  SELECT ${wishState(schema)} AS state, count(*) AS wishes, min(o.due_at) AS oldest_due
  FROM given, ${schema}.certify_outbox o
  WHERE o.state IN ('waiting', 'sending', 'refused', 'unknown', 'failed')
    AND (j->>'account' IS NULL OR o.account = j->>'account')
  GROUP BY 1)
SELECT json_build_object(
  'waiting', coalesce((SELECT wishes FROM counted WHERE state = 'waiting'), 0),
  'sending', coalesce((SELECT wishes FROM counted WHERE state = 'sending'), 0),
  'refused', coalesce((SELECT wishes FROM counted WHERE state = 'refused'), 0),
  'unknown', coalesce((SELECT wishes FROM counted WHERE state = 'unknown'), 0),
  'failed', coalesce((SELECT wishes FROM counted WHERE state = 'failed'), 0),
  'oldestDueMs', greatest(0, (SELECT now FROM given) -
    coalesce((SELECT oldest_due FROM counted WHERE state = 'waiting'), (SELECT now FROM given))))::text`

/** Changes a wish in one of the states `from`, and resolves with it; `null` if it is in another state. */
export const CHANGE: Statement = (schema) => `WITH ${GIVEN},
changed AS (
  UPDATE ${schema}.certify_outbox o SET
    state = j->>'to',
    due_at = CASE WHEN j->>'to' = 'waiting' THEN now ELSE due_at END,
    ended_at = CASE WHEN j->>'to' = 'waiting' THEN NULL ELSE now END,
    entry = NULL, code = NULL
  FROM given
  WHERE o.reference = j->>'reference' AND ${wishState(schema)} = ANY (ARRAY (SELECT jsonb_array_elements_text(j->'from')))
  RETURNING o.due_at, ${wishOf(schema)} AS wish, o.state = 'waiting' AS is_waiting)
SELECT json_build_object(
  'wish', (SELECT wish FROM changed),
  'durable', ${DURABLE},
  'notified', ${notify(schema, '(SELECT due_at FROM changed WHERE is_waiting) AS waiting')})::text`

/**
 * Takes due wishes, the oldest first, for the time of a lease. Those of a worker that is gone are due again when its lease is
 * over. What somebody else takes just now is left to them.
 */
export const TAKE: Statement = (schema) => `WITH ${GIVEN},
due AS (
  SELECT o.id, o.due_at, o.state = 'sending' AS was_sending FROM ${schema}.certify_outbox o
  WHERE o.account = (SELECT j->>'account' FROM given) AND o.state IN ('waiting', 'sending')
    AND o.due_at <= (SELECT now FROM given)
  ORDER BY o.due_at, o.id
  LIMIT (SELECT (j->>'most')::int FROM given)
  FOR UPDATE SKIP LOCKED),
taken AS (
  UPDATE ${schema}.certify_outbox o SET
    state = 'sending', owner = j->>'owner', due_at = now + (j->>'leaseMs')::bigint, tries = tries + 1
  FROM given, due WHERE o.id = due.id
  RETURNING due.due_at AS was_due, o.id, json_build_object('wish', ${wishOf(schema)}, 'wasSending', due.was_sending) AS each)
SELECT coalesce(json_agg(each ORDER BY was_due, id), '[]')::text FROM taken`

/** Changes a wish that its worker still has. Resolves with whether it did. */
const change = (to: string) => (schema: string) =>
  `WITH ${GIVEN},
changed AS (
  UPDATE ${schema}.certify_outbox o SET ${to}
  FROM given
  WHERE o.reference = j->>'reference' AND o.state = 'sending' AND o.owner = j->>'owner'
  RETURNING 1)
SELECT json_build_object('isMine', EXISTS (SELECT 1 FROM changed))::text`

export const RENEW: Statement = change(`due_at = now + (j->>'leaseMs')::bigint`)

export const END: Statement = change(
  `state = j->>'state', entry = j->>'entry', code = j->>'code', ended_at = now, owner = NULL`,
)

export const POSTPONE: Statement = change(
  `state = 'waiting', due_at = now + (j->>'delayMs')::bigint, code = coalesce(j->>'code', code), owner = NULL`,
)

/** Whether a wish is due, is with a worker, or waits for another try. */
export const IS_WAITING: Statement = (schema) => `WITH ${GIVEN}
SELECT json_build_object('isWaiting', EXISTS (
  SELECT 1 FROM ${schema}.certify_outbox o
  WHERE o.account = (SELECT j->>'account' FROM given) AND o.state IN ('waiting', 'sending')
    AND (o.due_at <= (SELECT now FROM given) OR o.tries > 0)))::text`

/**
 * Removes wishes of a candidate, unless they are being sent; or wishes that ended long ago and are known to have ended. What
 * is being sent has an entry that says so: without one, a wish must not be sent any more.
 */
export const PURGE: Statement = (schema) => `WITH ${GIVEN},
removed AS (
  DELETE FROM ${schema}.certify_outbox o USING given
  WHERE CASE WHEN j->>'emailKey' IS NULL
    THEN o.ended_at < now - (j->>'olderThanMs')::bigint AND ${wishState(schema)} <> 'unknown'
    ELSE o.email_key = j->>'emailKey' AND NOT (o.state = 'sending' AND EXISTS (
      SELECT 1 FROM ${schema}.certify_send_records s WHERE s.reference = o.reference AND s.state = 'sending')) END
  RETURNING 1)
SELECT json_build_object('removed', count(*))::text FROM removed`
