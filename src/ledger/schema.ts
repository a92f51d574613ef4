/** The version of the tables. A ledger of another version is refused. */
export const SCHEMA_VERSION = 4

/** What to do about a ledger of another version: what to choose instead. */
export const otherVersionHint = (place: string): string =>
  'Use the version of certify-sdk that made it. Ledgers from before 0.1.0 cannot be converted: another ' +
  `${place} begins a new one, which does not know their invites, so do that when those have expired.`

/** A query needs this condition, word for word, to use the index `certify_sends_pending`. */
export const IS_PENDING = "state IN ('sending', 'unknown')"

/**
 * The tables, in the SQL that both databases share. A record is stored whole, as JSON; the columns beside it are for
 * searching.
 *
 * @param types the column types of an auto-incremented identifier that is never reused, of bytes, and of text in the order of its
 *   characters, so that an index finds what begins with a text
 */
export const schema = (types: {
  readonly id: string
  readonly bytes: string
  readonly text: string
}): readonly string[] => [
  'CREATE TABLE certify_ledger (version INTEGER NOT NULL)',
  `INSERT INTO certify_ledger (version) VALUES (${SCHEMA_VERSION})`,
  `CREATE TABLE certify_sends (
    id ${types.id},
    reference ${types.text} NOT NULL UNIQUE,
    scope TEXT NOT NULL,
    email_key ${types.text} NOT NULL,
    state TEXT NOT NULL,
    lease_until BIGINT NOT NULL,
    sent_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    account TEXT NOT NULL,
    world TEXT NOT NULL,
    base_url TEXT NOT NULL,
    campaign TEXT,
    subjects TEXT NOT NULL,
    results TEXT NOT NULL,
    decided_at BIGINT,
    untitled TEXT,
    search TEXT NOT NULL,
    record TEXT NOT NULL
  )`,
  'CREATE TABLE certify_accounts (account TEXT PRIMARY KEY, service TEXT NOT NULL, former TEXT NOT NULL)',
  /* References that a record answers beside its own. */
  `CREATE TABLE certify_references (
    reference ${types.text} PRIMARY KEY,
    send BIGINT NOT NULL REFERENCES certify_sends (id) ON DELETE CASCADE
  )`,
  'CREATE INDEX certify_references_send ON certify_references (send)',
  'CREATE INDEX certify_sends_candidate ON certify_sends (email_key)',
  'CREATE INDEX certify_sends_account ON certify_sends (account, id)',
  `CREATE INDEX certify_sends_pending ON certify_sends (id) WHERE ${IS_PENDING}`,
  /* With the account, which a list in this order is filtered by. */
  'CREATE INDEX certify_sends_sent ON certify_sends (sent_at, id, account)',
  'CREATE INDEX certify_sends_expiry ON certify_sends (expires_at, id, account)',
  'CREATE INDEX certify_sends_decided ON certify_sends (decided_at, id) WHERE decided_at IS NOT NULL',
  'CREATE INDEX certify_sends_untitled ON certify_sends (untitled) WHERE untitled IS NOT NULL',
  /* It covers the counts of all records. */
  `CREATE INDEX certify_sends_progress
    ON certify_sends (campaign, subjects, state, results, expires_at, lease_until, account)`,
  `CREATE TABLE certify_invites (
    invite_id ${types.text} NOT NULL,
    send BIGINT NOT NULL REFERENCES certify_sends (id) ON DELETE CASCADE,
    PRIMARY KEY (invite_id, send)
  )`,
  'CREATE INDEX certify_invites_send ON certify_invites (send)',
  `CREATE TABLE certify_events (
    id ${types.id},
    key TEXT NOT NULL UNIQUE,
    reference TEXT NOT NULL,
    delivery_id TEXT,
    body ${types.bytes} NOT NULL,
    received_at BIGINT NOT NULL,
    state TEXT NOT NULL,
    due_at BIGINT NOT NULL,
    lease_until BIGINT NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0,
    error TEXT
  )`,
  'CREATE INDEX certify_events_reference ON certify_events (reference, id)',
  "CREATE INDEX certify_events_open ON certify_events (id) WHERE state = 'waiting'",
]

/** The tables in SQLite. */
export const SQLITE_SCHEMA: readonly string[] = [
  ...schema({ id: 'INTEGER PRIMARY KEY AUTOINCREMENT', bytes: 'BLOB', text: 'TEXT' }),
  /* A search reads all of it while no create can be recorded: a tenth of the table. Postgres limits the length of an entry. */
  'CREATE INDEX certify_sends_search ON certify_sends (id, search)',
]
