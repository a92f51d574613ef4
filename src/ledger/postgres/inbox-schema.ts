/** The table of received events. Times are milliseconds since 1970. */
export const inboxTables = (schema: string): string => `
  CREATE TABLE ${schema}.certify_events (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key text COLLATE "C" NOT NULL UNIQUE,
    reference text COLLATE "C" NOT NULL,
    delivery_id text,
    body bytea NOT NULL,
    received_at bigint NOT NULL,
    state text COLLATE "C" NOT NULL CHECK (state IN ('waiting', 'parked', 'handled', 'failed')),
    due_at bigint NOT NULL,
    lease_until bigint NOT NULL DEFAULT 0,
    invite_id text COLLATE "C",
    failures integer NOT NULL DEFAULT 0
  );
  CREATE INDEX certify_events_by_reference ON ${schema}.certify_events (reference, id);
  CREATE INDEX certify_events_open ON ${schema}.certify_events (id) WHERE state IN ('waiting', 'parked');
  CREATE INDEX certify_events_handled ON ${schema}.certify_events (received_at) WHERE state = 'handled';
`
