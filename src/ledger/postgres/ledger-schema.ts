/**
 * The tables of sends. Times are milliseconds since 1970. `scope` is a hash of the base URL, the account and the world. Keys
 * have the collation "C": it never changes, unlike those of the operating system, and a unique index stays right.
 *
 * `certify_candidates` has the last send of a candidate. A claim changes it, and so every other claim that was decided
 * before is refused. `certify_invite_ids` has the send that owns an invite. `epoch` begins again when a person accepts the
 * clock: only the sends of the last one count as the latest time.
 */
export const ledgerTables = (schema: string): string => `
  CREATE TABLE ${schema}.certify_send_records (
    id bigint PRIMARY KEY,
    version bigint NOT NULL DEFAULT 1,
    reference text COLLATE "C" NOT NULL UNIQUE,
    scope uuid NOT NULL,
    base_url text NOT NULL,
    account text NOT NULL,
    world text NOT NULL,
    email_key text COLLATE "C" NOT NULL,
    subjects text[] COLLATE "C" NOT NULL,
    quiz_id text COLLATE "C",
    package_id text COLLATE "C",
    package_name text,
    state text COLLATE "C" NOT NULL CHECK (state IN ('sending', 'created', 'refused', 'not-executed', 'unknown')),
    input jsonb NOT NULL,
    code text,
    owner text NOT NULL,
    lease_until bigint NOT NULL,
    sent_at bigint NOT NULL,
    settled_at bigint,
    expires_at bigint NOT NULL,
    campaign text,
    "row" bigint,
    invites jsonb NOT NULL,
    named jsonb NOT NULL,
    epoch integer NOT NULL DEFAULT 0
  );
  CREATE SEQUENCE ${schema}.certify_send_ids OWNED BY ${schema}.certify_send_records.id;
  CREATE INDEX certify_send_records_by_candidate ON ${schema}.certify_send_records (email_key, scope);
  CREATE INDEX certify_send_records_by_time ON ${schema}.certify_send_records (epoch, sent_at);
  CREATE INDEX certify_send_records_by_expiry ON ${schema}.certify_send_records (expires_at, id) WHERE state = 'created';
  CREATE INDEX certify_send_records_sending ON ${schema}.certify_send_records (lease_until) WHERE state = 'sending';
  CREATE INDEX certify_send_records_unknown ON ${schema}.certify_send_records (id) WHERE state = 'unknown';

  CREATE TABLE ${schema}.certify_candidates (
    email_key text COLLATE "C" NOT NULL,
    scope uuid NOT NULL,
    last_send bigint NOT NULL,
    PRIMARY KEY (email_key, scope)
  );

  CREATE TABLE ${schema}.certify_invite_ids (
    invite_id text COLLATE "C" NOT NULL,
    scope uuid NOT NULL,
    send bigint NOT NULL REFERENCES ${schema}.certify_send_records (id) ON DELETE CASCADE,
    earlier bigint[] NOT NULL DEFAULT '{}',
    PRIMARY KEY (invite_id, scope)
  );
  CREATE INDEX certify_invite_ids_by_send ON ${schema}.certify_invite_ids (send);
${views(schema)}`

/* For people and their own queries, without links: docs/postgres.md lists the columns. */
const views = (schema: string) => `
  CREATE VIEW ${schema}.certify_sends AS SELECT
    reference, base_url, account, world, email_key AS email, quiz_id, package_id, package_name,
    input->>'externalReference' AS external_reference, state, code, campaign, "row",
    to_timestamp(sent_at / 1000.0) AS sent_at,
    to_timestamp(settled_at / 1000.0) AS settled_at,
    to_timestamp(expires_at / 1000.0) AS expires_at
  FROM ${schema}.certify_send_records;

  CREATE VIEW ${schema}.certify_invites AS
  SELECT ${SEND_COLUMNS},
    invite->>'inviteId' AS invite_id,
    coalesce(invite->>'quizId', event->>'quizId', s.quiz_id) AS quiz_id,
    to_timestamp((CASE WHEN (invite->>'expiryAssumed')::boolean THEN s.expires_at
      ELSE (invite->>'expiresMs')::numeric END) / 1000.0) AS expires_at,
    NULL::text AS follow_up_of, NULL::text AS kind,
    ${RESULT_COLUMNS}
  FROM ${schema}.certify_send_records s
  CROSS JOIN LATERAL jsonb_array_elements(s.invites) AS created (invite)
  LEFT JOIN LATERAL (
    SELECT each AS event FROM jsonb_array_elements(s.named) AS each WHERE each->>'inviteId' = invite->>'inviteId' LIMIT 1
  ) AS events ON true
  UNION ALL
  SELECT ${SEND_COLUMNS},
    event->>'inviteId', event->>'quizId', NULL, event->>'followUpOf', event->>'kind',
    ${RESULT_COLUMNS}
  FROM ${schema}.certify_send_records s
  CROSS JOIN LATERAL jsonb_array_elements(s.named) AS events (event)
  WHERE NOT EXISTS (
    SELECT 1 FROM jsonb_array_elements(s.invites) AS invite WHERE invite->>'inviteId' = event->>'inviteId');
`

const SEND_COLUMNS = `s.reference, s.base_url, s.account, s.world, s.email_key AS email, s.package_id, s.package_name,
    s.input->>'externalReference' AS external_reference, s.state, s.campaign, s."row",
    to_timestamp(s.sent_at / 1000.0) AS sent_at`

const RESULT_COLUMNS = `event->>'result' AS result,
    to_timestamp(coalesce((event->>'occurredAt')::numeric, (event->>'receivedAt')::numeric) / 1000.0) AS result_at,
    event->>'validUntil' AS valid_until`
