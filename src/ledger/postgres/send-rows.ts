import { createHash } from 'node:crypto'
import type { LedgerInvite, LedgerScope } from '../rules/entry.ts'
import type { NewSend, SendRecord } from '../rules/record.ts'

/** A row of `certify_send_records`, as `to_json` returns it. */
export type SendRow = Readonly<Record<Column, unknown>> & { readonly id: number; readonly version: number }

/** The columns that a send is written with, and their types. */
export const COLUMNS = {
  reference: 'text',
  scope: 'uuid',
  base_url: 'text',
  account: 'text',
  world: 'text',
  email_key: 'text',
  subjects: 'text[]',
  quiz_id: 'text',
  package_id: 'text',
  package_name: 'text',
  state: 'text',
  input: 'jsonb',
  code: 'text',
  owner: 'text',
  lease_until: 'bigint',
  sent_at: 'bigint',
  settled_at: 'bigint',
  expires_at: 'bigint',
  campaign: 'text',
  row: 'bigint',
  invites: 'jsonb',
  named: 'jsonb',
} as const

type Column = keyof typeof COLUMNS

/** The names of the columns in a statement. */
export const columnNames = (prefix = ''): string =>
  Object.keys(COLUMNS)
    .map((name) => `${prefix}"${name}"`)
    .join(', ')

/** The columns with their types, for `jsonb_to_record`. */
export const COLUMN_TYPES: string = Object.entries(COLUMNS)
  .map(([name, type]) => `"${name}" ${type}`)
  .join(', ')

/** The identifier of a scope in the tables. */
export function scopeId({ baseUrl, account, world }: LedgerScope): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([baseUrl, account, world]))
    .digest('hex')
  return hash.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** The columns of a send. */
export function rowOf(send: NewSend): Readonly<Record<Column, unknown>> {
  const { scope } = send
  return {
    reference: send.reference,
    scope: scopeId(scope),
    base_url: scope.baseUrl,
    account: scope.account,
    world: scope.world,
    email_key: send.emailKey,
    subjects: send.subjects,
    quiz_id: send.quizId,
    package_id: send.packageId,
    package_name: send.packageName,
    state: send.state,
    input: send.input,
    code: send.code,
    owner: send.owner,
    lease_until: send.leaseUntil,
    sent_at: send.sentAt,
    settled_at: send.settledAt,
    expires_at: send.expiresAt,
    campaign: send.campaign,
    row: send.row,
    invites: send.invites.map((invite) => ({ ...invite, expiresMs: Date.parse(invite.expiresAt) })),
    named: send.named,
  }
}

/** The send in a row. */
export function sendOf(row: SendRow): SendRecord {
  const invites = row.invites as readonly (LedgerInvite & { readonly expiresMs: number })[]
  return withoutNulls({
    id: row.id,
    reference: row.reference,
    scope: { baseUrl: row.base_url, account: row.account, world: row.world },
    emailKey: row.email_key,
    subjects: row.subjects,
    quizId: row.quiz_id,
    packageId: row.package_id,
    packageName: row.package_name,
    state: row.state,
    input: row.input,
    code: row.code,
    owner: row.owner,
    leaseUntil: row.lease_until,
    sentAt: row.sent_at,
    settledAt: row.settled_at,
    expiresAt: row.expires_at,
    campaign: row.campaign,
    row: row.row,
    invites: invites.map(withoutMs),
    named: row.named,
  }) as unknown as SendRecord
}

function withoutMs(stored: LedgerInvite & { readonly expiresMs: number }): LedgerInvite {
  const { expiresMs: _, ...invite } = stored
  return invite
}

function withoutNulls(record: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null && value !== undefined))
}
