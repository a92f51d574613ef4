import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import * as z from 'zod'
import { notFoundError } from '../cli-error.ts'
import { entriesOf } from '../ledger/find-entries.ts'
import { chainsOf } from '../ledger/follow-up-chains.ts'
import { type InviteRow, inviteRowsOf, LISTED_STATES } from '../ledger/invite-row.ts'
import { type FilterFlags, readFilter } from '../ledger/list-filter.ts'
import { listedScope } from '../ledger/list-invites.ts'
import { useLedger } from '../ledger/open-ledger.ts'
import { DO_NOT_SEND_AGAIN } from './failure.ts'
import { placeOf, type Session } from './session.ts'
import { addTool, READS } from './tool.ts'
import { howToResolve } from './unknown.ts'

const text = z.string().nullable()

/** A row of the ledger as `certify invites list --json` prints it. The most useful fields are named here. */
export const inviteRowSchema = z.looseObject({
  inviteId: text,
  state: z.string(),
  email: z.string(),
  name: text,
  quizId: text,
  packageId: text,
  challengeUrl: text,
  expiresAt: text,
  sentAt: z.string(),
  reference: z.string(),
  code: text,
  result: text,
  resultAt: text,
  validUntil: text,
})

const MOST_ROWS = 200
const USUAL_ROWS = 50
const READS_LEDGER = { ...READS, openWorldHint: false } as const

/** What the ledger of this machine has. */
export function addLedgerTools(server: McpServer, session: Session): void {
  const { context } = session
  addTool(server, session, {
    name: 'list_invites',
    title: 'List recorded invites',
    description:
      'Lists the invites in the ledger, newest first. It has what certify recorded; invites from elsewhere are not known. The ' +
      'states: sending, created, refused, not-executed and unknown (it may have been created). passed and failed are results.',
    annotations: READS_LEDGER,
    input: {
      email: z.string().optional().describe('For this candidate.'),
      quizId: z.string().optional().describe('For this quiz, also as part of a package.'),
      packageId: z.string().optional().describe('For this package.'),
      state: z.enum(LISTED_STATES).optional().describe('In this state, or with this result.'),
      since: z.string().optional().describe('Sent since: 7d, 2030-01-31 (UTC) or 2030-01-31T09:00:00Z.'),
      campaign: z.string().optional().describe('Of this campaign: the file name of certify bulk.'),
      limit: z.int().min(1).max(MOST_ROWS).optional().describe(`The most rows. Default: ${USUAL_ROWS}.`),
    },
    output: z.looseObject({ message: z.string(), hasMore: z.boolean(), invites: z.array(inviteRowSchema) }),
    run: async ({ limit = USUAL_ROWS, ...filter }) => {
      const { rows, hasMore, of } = await rowsOf(session, filter, limit)
      const message = `${rows.length} rows of ${of}${hasMore ? '; there are more' : ''}.`
      return { value: { message, hasMore, invites: rows } }
    },
  })
  addTool(server, session, {
    name: 'list_unknown_invites',
    title: 'List invites with an unknown outcome',
    description:
      'Lists the sends that may have created an invite, and what a person has to do about each. No tool records what became ' +
      'of them, and nothing may be sent in their place.',
    annotations: READS_LEDGER,
    input: {},
    output: z.looseObject({
      message: z.string(),
      hasMore: z.boolean(),
      unknown: z.array(inviteRowSchema.extend({ whatToDo: z.string() })),
    }),
    run: async () => {
      const { rows, hasMore, of } = await rowsOf(session, { state: 'unknown' }, MOST_ROWS)
      const place = placeOf(session)
      const unknown = rows.map((row) => ({ ...row, whatToDo: howToResolve(row.reference, place) }))
      const message = `${rows.length} sends of ${of} have an unknown outcome.${rows.length > 0 ? ` ${DO_NOT_SEND_AGAIN}` : ''}`
      return { value: { message, hasMore, unknown } }
    },
  })
  addTool(server, session, {
    name: 'view_invite',
    title: 'View what became of an invite',
    description:
      'Shows everything that is recorded of one invite or send: its state, its result, and the retakes and level-ups that came ' +
      'from it. Results are known only if events of the service are received.',
    annotations: READS_LEDGER,
    input: { id: z.string().min(1).describe('The inviteId, or the reference of the send.') },
    output: z.looseObject({
      message: z.string(),
      invites: z.array(inviteRowSchema.extend({ chains: z.array(z.string()) })),
    }),
    run: async ({ id }) => {
      const found: (InviteRow & { readonly chains: readonly string[] })[] = []
      await useLedger(context, session.flags, async (ledger) => {
        for (const entry of await entriesOf(ledger, id)) {
          const rows = inviteRowsOf(entry, session.flags.showLinks ?? false)
          const named = rows.filter(({ inviteId }) => inviteId === id)
          for (const row of named.length > 0 ? named : rows) found.push({ ...row, chains: chainsOf(row, entry) })
        }
      })
      if (found.length === 0) {
        const hint = 'list_invites shows what it has.'
        throw notFoundError('the ledger has no invite of this id, and no send of this reference.', hint)
      }
      return { value: { message: messageOf(found), invites: found } }
    },
  })
}

async function rowsOf({ context, flags }: Session, filterFlags: FilterFlags, limit: number) {
  const { filter, includes } = readFilter(filterFlags, context.io.now())
  const rows: InviteRow[] = []
  let [hasMore, of] = [false, '']
  await useLedger(context, flags, async (ledger, place) => {
    const { filter: scope, description } = listedScope(context, {}, place)
    of = description || 'the whole ledger'
    for await (const entry of ledger.list({ ...scope, ...filter })) {
      rows.push(...inviteRowsOf(entry, flags.showLinks ?? false).filter(includes))
      hasMore = rows.length > limit
      if (hasMore) break
    }
  })
  return { rows: rows.slice(0, limit), hasMore, of }
}

function messageOf(rows: readonly InviteRow[]): string {
  const [row] = rows
  if (rows.length !== 1 || row === undefined) return `${rows.length} rows.`
  if (row.result !== null) return `The result is ${row.result}.`
  if (row.state === 'unknown') return `It may have been created. ${DO_NOT_SEND_AGAIN}`
  return row.state === 'created' ? 'No result is on record.' : `It was not created (${row.state}).`
}
