import type { LedgerScope } from '../rules/entry.ts'
import { scopeKey } from '../rules/key.ts'
import {
  CLOCK_SLACK_MS,
  intervalOf,
  type OutageTrials,
  type PaceState,
  RATE_COUNTS_MS,
  type SharedPace,
} from '../rules/shared-pace.ts'
import type { PostgresConnection, Statement } from './connection.ts'

/** {@link SharedPace} in one small row a scope. At most one statement for a send, without a wait for the disk. */
export class PostgresPace implements SharedPace {
  readonly #connection: PostgresConnection
  readonly #scope: string
  readonly #owner = crypto.randomUUID()

  constructor(connection: PostgresConnection, scope: LedgerScope) {
    const { baseUrl, account, world } = scopeKey(scope)
    this.#connection = connection
    this.#scope = JSON.stringify([baseUrl, account, world])
  }

  readonly read = async () => {
    const { outage, ...state } = await this.#connection.read<PaceState>(READ, this.#argument({}))
    return { ...state, outage: outage ?? undefined }
  }

  readonly takeTurn = async (ratePerSecond: number | undefined) => {
    const { waitMs } = await this.#write<{ waitMs: number | null }>(TAKE_TURN, {
      intervalMs: intervalOf(ratePerSecond),
    })
    return waitMs ?? undefined
  }

  readonly pauseFor = async (ms: number) => {
    await this.#write(PAUSE, { ms })
  }

  readonly hold = async (leaseMs: number, trials: OutageTrials) => {
    const { isHeld } = await this.#write<{ isHeld: boolean }>(HOLD, { leaseMs, trials })
    return isHeld
  }

  readonly release = async (isOver: boolean, trials: OutageTrials) => {
    await this.#write(RELEASE, { isOver, trials })
  }

  /* Each may be done twice: a turn is lost then, and everything else is the same. */
  async #write<Result>(statement: Statement, facts: object): Promise<Result> {
    for (;;) {
      const result = await this.#connection.write<Result>(statement, this.#argument(facts))
      if (result !== 'unclear') return result
    }
  }

  #argument(facts: object): object {
    return { ...facts, scope: this.#scope, owner: this.#owner, now: this.#connection.ownTime() }
  }
}

/* The time is read again after a wait for the lock of the row. */
const NOW = `coalesce(($1::text::jsonb->>'now')::float8, extract(epoch FROM clock_timestamp())::float8 * 1000)`
const text = (name: string) => `($1::text::jsonb->>'${name}')`
const TRIALS = `($1::text::jsonb->'trials')`
const number = (name: string) => `${text(name)}::float8`

const PAUSED_MS = `CASE WHEN p.paused_until - ${NOW} > p.pause_ms + ${CLOCK_SLACK_MS} THEN 0
  ELSE greatest(0, p.paused_until - ${NOW}) END`
const RATE_COUNTS = `(p.interval_ms > 0 AND p.interval_at + ${RATE_COUNTS_MS} + 2 * p.interval_ms > ${NOW})`
const INTERVAL = `CASE WHEN ${RATE_COUNTS} THEN greatest(p.interval_ms, excluded.interval_ms) ELSE excluded.interval_ms END`
/* A turn far in the future comes from a clock that was set back. */
const TURN = `greatest(${NOW}, least(p.next_at, ${NOW} + 1000 * ${INTERVAL}))`
/* What is lost in a crash of the database is worth no wait: a turn, or some seconds of a pause. */
const NO_FLUSH = `SELECT set_config('synchronous_commit', 'off', true) AS set`

const READ: Statement = (schema) => `SELECT coalesce(
  (SELECT json_build_object(
    'pausedMs', ${PAUSED_MS},
    'isLimited', ${RATE_COUNTS},
    'outage', CASE WHEN p.is_held THEN json_build_object(
      'probedBy', CASE
        WHEN p.held_by = ${text('owner')} THEN 'this'
        WHEN p.held_by IS NULL OR p.held_until <= ${NOW} THEN 'nobody'
        ELSE 'another' END,
      'trials', p.trials) END)
  FROM ${schema}.certify_pace p WHERE p.scope = ${text('scope')}),
  '{"pausedMs":0,"isLimited":false}')::text`

const TAKE_TURN: Statement = (schema) => `WITH no_flush AS MATERIALIZED (${NO_FLUSH}), taken AS (
  INSERT INTO ${schema}.certify_pace AS p (scope, next_at, interval_ms, interval_at)
  SELECT ${text('scope')}, ${NOW} + ${number('intervalMs')}, ${number('intervalMs')}, ${NOW} FROM no_flush
  ON CONFLICT (scope) DO UPDATE SET
    next_at = ${TURN} + ${INTERVAL},
    interval_ms = ${INTERVAL},
    interval_at = CASE WHEN excluded.interval_ms >= ${INTERVAL} THEN excluded.interval_at ELSE p.interval_at END
  WHERE (${PAUSED_MS}) = 0 AND (NOT p.is_held OR p.held_by = ${text('owner')})
  RETURNING greatest(0, next_at - interval_ms - ${NOW}) AS wait_ms
) SELECT json_build_object('waitMs', (SELECT wait_ms FROM taken))::text`

const PAUSE: Statement = (schema) => `WITH paused AS (
  INSERT INTO ${schema}.certify_pace AS p (scope, paused_until, pause_ms)
  VALUES (${text('scope')}, ${NOW} + ${number('ms')}, ${number('ms')})
  ON CONFLICT (scope) DO UPDATE SET paused_until = excluded.paused_until, pause_ms = excluded.pause_ms
  WHERE (${PAUSED_MS}) < excluded.pause_ms
  RETURNING 1
) SELECT json_build_object('paused', count(*))::text FROM paused`

const HOLD: Statement = (schema) => `WITH held AS (
  INSERT INTO ${schema}.certify_pace AS p (scope, is_held, held_by, held_until, trials)
  VALUES (${text('scope')}, true, ${text('owner')}, ${NOW} + ${number('leaseMs')}, ${TRIALS})
  ON CONFLICT (scope) DO UPDATE SET
    is_held = true,
    held_by = excluded.held_by,
    held_until = excluded.held_until,
    trials = excluded.trials
  WHERE NOT p.is_held OR p.held_by IS NULL OR p.held_by = excluded.held_by OR p.held_until <= ${NOW}
  RETURNING 1
) SELECT json_build_object('isHeld', count(*) > 0)::text FROM held`

const RELEASE: Statement = (schema) => `WITH released AS (
  UPDATE ${schema}.certify_pace SET
    is_held = NOT ${text('isOver')}::boolean,
    held_by = NULL,
    held_until = ${NOW},
    trials = ${TRIALS}
  WHERE scope = ${text('scope')} AND held_by = ${text('owner')}
  RETURNING 1
) SELECT json_build_object('released', count(*))::text FROM released`
