/**
 * The table of wishes, and a view for people. Times are milliseconds since 1970. `due_at` of a wish that is `sending`: when
 * somebody else may take it. `entry` is the reference of the entry that decided it.
 */
export const outboxTables = (schema: string): string => `
  CREATE TABLE ${schema}.certify_outbox (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    reference text COLLATE "C" NOT NULL UNIQUE,
    account text COLLATE "C" NOT NULL,
    email_key text COLLATE "C" NOT NULL,
    input jsonb NOT NULL,
    if_invited text COLLATE "C" NOT NULL DEFAULT 'refuse' CHECK (if_invited IN ('refuse', 'create')),
    campaign text,
    state text COLLATE "C" NOT NULL DEFAULT 'waiting' CHECK (state IN
      ('waiting', 'sending', 'created', 'already_invited', 'refused', 'unknown', 'failed', 'cancelled')),
    enqueued_at bigint NOT NULL,
    due_at bigint NOT NULL,
    tries integer NOT NULL DEFAULT 0,
    owner text,
    entry text COLLATE "C",
    code text,
    ended_at bigint
  );
  CREATE INDEX certify_outbox_due ON ${schema}.certify_outbox (account, due_at, id)
    WHERE state IN ('waiting', 'sending');
  CREATE INDEX certify_outbox_open ON ${schema}.certify_outbox (state, id)
    WHERE state IN ('waiting', 'sending', 'refused', 'unknown', 'failed');
  CREATE INDEX certify_outbox_by_candidate ON ${schema}.certify_outbox (email_key);
  CREATE INDEX certify_outbox_ended ON ${schema}.certify_outbox (ended_at);

  CREATE VIEW ${schema}.certify_wishes AS SELECT
    o.reference, o.account, o.email_key AS email, o.input->>'quizId' AS quiz_id, o.input->>'packageId' AS package_id,
    o.campaign, ${wishState(schema)} AS state, o.code, o.entry, o.tries,
    to_timestamp(o.enqueued_at / 1000.0) AS enqueued_at,
    to_timestamp(o.due_at / 1000.0) AS due_at,
    to_timestamp(o.ended_at / 1000.0) AS ended_at
  FROM ${schema}.certify_outbox o;
`

/**
 * The state of a wish `o` as it is now: a person or an event may have settled its entry since. With PRIOR_OUTCOME_UNKNOWN it
 * is the entry of another send.
 */
export const wishState = (schema: string): string => `CASE WHEN o.state = 'unknown' AND EXISTS (
      SELECT 1 FROM ${schema}.certify_send_records s WHERE s.reference = o.entry AND s.state = 'created')
      THEN CASE WHEN o.code = 'PRIOR_OUTCOME_UNKNOWN' THEN 'already_invited' ELSE 'created' END
      ELSE o.state END`
