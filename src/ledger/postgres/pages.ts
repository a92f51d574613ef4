import type { SendRecord } from '../rules/record.ts'
import type { PageQuery } from '../store/store.ts'
import type { Statement } from './connection.ts'
import { ARGUMENT } from './store-reads.ts'

/* Only the conditions that are set: with `OR … IS NULL` no index would be used. */
export function pageStatement({ filter, expiring }: PageQuery, isNext: boolean): Statement {
  return (schema) => {
    const conditions = Object.entries(filter)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => CONDITIONS[name as keyof typeof CONDITIONS](schema, value))
    if (expiring !== undefined) {
      conditions.push(`state = 'created' AND expires_at > ${number('from')} AND expires_at <= ${number('until')}`)
    }
    if (isNext) {
      conditions.push(
        expiring === undefined
          ? `id < ${number('lastId')}`
          : `(expires_at, id) > (${number('lastExpiresAt')}, ${number('lastId')})`,
      )
    }
    return `${ARGUMENT}, page AS (
      SELECT * FROM ${schema}.certify_send_records s
      ${conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`}
      ORDER BY ${expiring === undefined ? 'id DESC' : 'expires_at, id'} LIMIT ${PAGE_ROWS})
    SELECT json_build_object('sends', coalesce(json_agg(to_json(page)
      ORDER BY ${expiring === undefined ? 'id DESC' : 'expires_at, id'}), '[]'))::text FROM page`
  }
}

const PAGE_ROWS = 200

/** The argument of {@link pageStatement}. */
export function pageArgument({ filter, expiring }: PageQuery, last: SendRecord | undefined): object {
  return { ...filter, ...expiring, lastId: last?.id, lastExpiresAt: last?.expiresAt }
}

const text = (name: string) => `(SELECT j->>'${name}' FROM a)`
const number = (name: string) => `(SELECT (j->>'${name}')::bigint FROM a)`

const STATES: ReadonlySet<unknown> = new Set(['sending', 'unknown', 'created'])

const CONDITIONS: Readonly<Record<keyof PageQuery['filter'], (schema: string, value: unknown) => string>> = {
  baseUrl: () => `base_url = ${text('baseUrl')}`,
  account: () => `account = ${text('account')}`,
  world: () => `world = ${text('world')}`,
  emailKey: () => `email_key = ${text('emailKey')}`,
  subject: () => `${text('subject')} = ANY (subjects)`,
  packageId: () => `package_id = ${text('packageId')}`,
  inviteId: (schema) => `id IN (SELECT unnest(send || earlier) FROM ${schema}.certify_invite_ids
    WHERE invite_id = ${text('inviteId')})
    AND (EXISTS (SELECT 1 FROM jsonb_array_elements(invites || named) AS each
      WHERE each->>'inviteId' = ${text('inviteId')}))`,
  /* By name, for the partial indexes. */
  state: (_schema, value) => `state = ${STATES.has(value) ? `'${String(value)}'` : text('state')}`,
  result: () => `EXISTS (SELECT 1 FROM jsonb_array_elements(named) AS each WHERE each->>'result' = ${text('result')})`,
  since: () => `sent_at >= ${number('since')}`,
  campaign: () => `campaign = ${text('campaign')}`,
}
