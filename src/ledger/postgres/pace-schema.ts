/** The table of {@link PostgresPace}: one row a scope. Times are milliseconds since 1970, by the clock of the database. */
export const paceTables = (schema: string): string => `
CREATE TABLE ${schema}.certify_pace (
  scope text PRIMARY KEY,
  next_at double precision NOT NULL DEFAULT 0,
  interval_ms double precision NOT NULL DEFAULT 0,
  interval_at double precision NOT NULL DEFAULT 0,
  paused_until double precision NOT NULL DEFAULT 0,
  pause_ms double precision NOT NULL DEFAULT 0,
  is_held boolean NOT NULL DEFAULT false,
  held_by text,
  held_until double precision NOT NULL DEFAULT 0,
  trials jsonb
) WITH (fillfactor = 20);
COMMENT ON TABLE ${schema}.certify_pace IS 'What the runs that share the ledger have in common: rate, pause, outage.';`
