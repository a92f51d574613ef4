import { emailKey } from '../rules/key.ts'
import type { Purge, Purged } from '../rules/ledger.ts'
import type { Statements } from './statements.ts'

/** Removes entries for good. Call it inside a transaction. */
export function purge(statements: Statements, what: Purge, now: number): Purged {
  const [condition, value, harmless] =
    what.email === undefined
      ? (['sent_at < ?', now - what.olderThanMs, HARMLESS] as const)
      : (['email_key = ?', emailKey(what.email), "(state <> 'sending' OR ? < 0)"] as const)
  const sends = `FROM sends WHERE ${condition} AND ${harmless}`
  statements.run(`DELETE FROM events WHERE reference IN (SELECT reference ${sends})`, value, now)
  const removed = statements.run(`DELETE ${sends}`, value, now)
  const rest = statements.one(`SELECT count(*) AS kept FROM sends WHERE ${condition}`, value)
  return { removed, kept: rest?.['kept'] as number }
}

/* Entries that no longer block a send: also unknown ones before a later invite, as in blocking.ts. */
const HARMLESS = `(state IN ('refused', 'not-executed') OR expires_at <= ? AND (state = 'created'
  OR state = 'unknown' AND EXISTS (SELECT 1 FROM sends AS later
    WHERE later.email_key = sends.email_key AND later.scope = sends.scope AND later.id > sends.id
      AND later.state = 'created' AND later.quiz_id IS sends.quiz_id AND later.package_id IS sends.package_id)))`
