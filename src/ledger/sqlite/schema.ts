import { ledgerUnusable } from '../rules/errors.ts'
import type { Database } from './driver.ts'
import { respell } from './migrate-spelling.ts'

/** Marks a file as a ledger of this package, in the header of the database: the letters CRTF. */
const APPLICATION_ID = 0x43525446

/** A step from one version of the schema to the next: SQL, or a function. */
type Migration = string | ((database: Database) => void)

/**
 * The steps between the versions of the schema, in order. A published step is never changed.
 *
 * A send has a key for each quiz and package that it is for. Times are milliseconds since 1970.
 */
export const MIGRATIONS: readonly Migration[] = [
  `
  CREATE TABLE scopes (
    id INTEGER PRIMARY KEY,
    base_url TEXT NOT NULL,
    account TEXT NOT NULL,
    world TEXT NOT NULL,
    UNIQUE (base_url, account, world)
  );
  CREATE TABLE sends (
    id INTEGER PRIMARY KEY,
    reference TEXT NOT NULL UNIQUE,
    scope INTEGER NOT NULL REFERENCES scopes (id),
    email_key TEXT NOT NULL,
    quiz_id TEXT,
    package_id TEXT,
    package_name TEXT,
    state TEXT NOT NULL CHECK (state IN ('sending', 'created', 'refused', 'not-executed', 'unknown')),
    input TEXT NOT NULL,
    code TEXT,
    owner TEXT,
    lease_until INTEGER NOT NULL,
    sent_at INTEGER NOT NULL,
    settled_at INTEGER,
    expires_at INTEGER NOT NULL,
    campaign TEXT,
    row INTEGER
  );
  CREATE INDEX sends_by_email ON sends (email_key);
  CREATE INDEX sends_by_expiry ON sends (expires_at) WHERE state = 'created';
  CREATE INDEX sends_open ON sends (state) WHERE state IN ('sending', 'unknown');
  CREATE TABLE keys (
    scope INTEGER NOT NULL,
    email_key TEXT NOT NULL,
    subject TEXT NOT NULL,
    send INTEGER NOT NULL REFERENCES sends (id) ON DELETE CASCADE,
    PRIMARY KEY (scope, email_key, subject, send)
  ) WITHOUT ROWID;
  CREATE INDEX keys_by_send ON keys (send);
  CREATE TABLE invites (
    send INTEGER NOT NULL REFERENCES sends (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    invite_id TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    status TEXT,
    challenge_url TEXT,
    email_sent INTEGER,
    quiz_id TEXT,
    skill_name TEXT,
    level TEXT,
    PRIMARY KEY (send, number)
  ) WITHOUT ROWID;
  CREATE INDEX invites_by_id ON invites (invite_id);
  `,
  /* Claimed but not released: not sent yet. */
  'ALTER TABLE sends ADD COLUMN held INTEGER NOT NULL DEFAULT 0',
  respell,
  /* The identity of the ledger and its number of commits: see last-commit.ts. */
  `
  CREATE TABLE ledger (id TEXT NOT NULL, commits INTEGER NOT NULL);
  INSERT INTO ledger VALUES (lower(hex(randomblob(16))), 0);
  `,
  /* Such a claim is now like any other send: it may have been sent. */
  'ALTER TABLE sends DROP COLUMN held',
  /* The latest time that the ledger has seen: see latest-time.ts. */
  `
  ALTER TABLE ledger ADD COLUMN latest INTEGER NOT NULL DEFAULT 0;
  UPDATE ledger SET latest = coalesce((SELECT max(max(sent_at, coalesce(settled_at, 0))) FROM sends), 0);
  `,
  /* Events that were received: see sqlite-inbox.ts. `invite_id` is what a parked event waits for, or a handled one introduces. */
  `
  CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    reference TEXT NOT NULL,
    delivery_id TEXT,
    body BLOB NOT NULL,
    received_at INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'parked', 'handled', 'failed')),
    due_at INTEGER NOT NULL,
    lease_until INTEGER NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0,
    invite_id TEXT
  );
  CREATE INDEX events_by_reference ON events (reference, state, id);
  CREATE INDEX events_open ON events (id) WHERE state IN ('waiting', 'parked');
  `,
  /* What events said about the invites of a send, and about their follow-ups: see rules/record-event.ts. */
  `
  CREATE TABLE learned (
    send INTEGER NOT NULL REFERENCES sends (id) ON DELETE CASCADE,
    invite_id TEXT NOT NULL,
    named_by TEXT,
    named_at INTEGER NOT NULL,
    quiz_id TEXT,
    follow_up_of TEXT,
    kind TEXT,
    claimed_at INTEGER,
    result TEXT,
    occurred_at INTEGER,
    received_at INTEGER,
    valid_until TEXT,
    PRIMARY KEY (send, invite_id)
  ) WITHOUT ROWID;
  CREATE INDEX learned_by_id ON learned (invite_id);
  `,
]

/** The version of the schema that this package writes. */
export const SCHEMA_VERSION: number = MIGRATIONS.length

/**
 * Refuses a file that is not a ledger, or one of a later version. Changes nothing. Returns the version of its schema: 0
 * for an empty database.
 *
 * @throws CertifyError LEDGER_UNUSABLE
 */
export function recognise(database: Database, path: string, newest: number = SCHEMA_VERSION): number {
  const version = pragma(database, 'user_version')
  const { tables } = database.prepare('SELECT count(*) AS tables FROM sqlite_schema').get() as { tables: number }
  /* Read last: another process may be creating the ledger. If we saw its tables, we also see its identifier. */
  const id = pragma(database, 'application_id')
  if (id !== APPLICATION_ID && (id !== 0 || version !== 0 || tables !== 0)) {
    throw ledgerUnusable(
      `${path}: it is a database of another program`,
      'Nothing was changed in it. Give another path.',
    )
  }
  if (version > newest) {
    throw ledgerUnusable(
      `${path}: it was written by a later version of certify-sdk (schema ${version}, known here: ${newest})`,
      'Nothing was changed in it. Update certify-sdk.',
    )
  }
  return version
}

/**
 * Brings a ledger to the newest schema, in one transaction. Call it only after {@link recognise}.
 *
 * @param migrations this package's steps; a test has its own
 */
export function migrate(database: Database, path: string, migrations: readonly Migration[] = MIGRATIONS): void {
  if (recognise(database, path, migrations.length) === migrations.length) return
  database.exec('BEGIN IMMEDIATE')
  try {
    /* Another process may have been faster. */
    const version = recognise(database, path, migrations.length)
    for (const step of migrations.slice(version)) {
      if (typeof step === 'string') database.exec(step)
      else step(database)
    }
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}`)
    database.exec(`PRAGMA user_version = ${migrations.length}`)
    database.exec('COMMIT')
  } catch (error) {
    database.exec('ROLLBACK')
    throw error
  }
}

function pragma(database: Database, name: string): number {
  return Number(Object.values(database.prepare(`PRAGMA ${name}`).get() as object)[0])
}
