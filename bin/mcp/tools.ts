import type { McpServer } from '@modelcontextprotocol/server'
import * as z from 'zod'
import { notFoundError } from '../cli-error.ts'
import { momentOf } from '../config/duration.ts'
import { recordsOf } from '../ledger/find-records.ts'
import { chainsOf } from '../ledger/follow-up-chains.ts'
import { inviteRowsOf, type InviteRow, LISTED_STATES } from '../ledger/invite-row.ts'
import { listedScope, readFilter } from '../ledger/invite-filters.ts'
import { useLedger } from '../ledger/open-ledger.ts'
import { addTool, howAPersonResolves, type Session } from './session.ts'

const text = () => z.string().optional()

/** Adds the tools that list what the service offers. */
export function addTrackTools(server: McpServer, session: Session): void {
  const { context } = session
  addTool(server, session, {
    name: 'list_tracks',
    description: 'Lists the certification tracks with their packages.',
    reads: true,
    input: { search: text().describe('Only tracks and packages with this text in their names.') },
    run: async ({ search }, { signal }) => {
      const tracks = await (await context.client('read')).tracks.list({ search }, { signal })
      return {
        tracks: tracks.map(({ slug, name, packages }) => ({
          slug,
          name,
          packages: packages.map(({ id, skills, ...each }) => ({
            packageId: id,
            name: each.name,
            level: each.level,
            skills: skills.length,
          })),
        })),
      }
    },
  })
  addTool(server, session, {
    name: 'view_track',
    description: 'Shows a track with the packageId of each package and the quizId of each skill.',
    reads: true,
    input: { slug: z.string() },
    run: async ({ slug }, { signal }) => {
      const track = await (await context.client('read')).tracks.get(slug, { signal })
      if (track === null) throw notFoundError('there is no track with this slug.', 'list_tracks shows the slugs.')
      const packages = track.packages.map(({ id, ...others }) => ({ packageId: id, ...others }))
      return { slug, name: track.name, packages }
    },
  })
}

const MOST_ROWS = 200
const USUAL_ROWS = 50

/** Adds the tools that read the ledger. */
export function addLedgerTools(server: McpServer, session: Session): void {
  const { context, flags } = session
  const shown = (row: InviteRow) =>
    row.state === 'unknown' ? { ...row, whatToDo: howAPersonResolves(row.reference, context.place().flags) } : row
  addTool(server, session, {
    name: 'list_invites',
    description:
      'Lists the recorded invites, newest first. One that is `unknown` may have been created: never create another in its place.',
    reads: true,
    input: {
      email: text(),
      quizId: text(),
      packageId: text(),
      state: z.enum(LISTED_STATES).optional(),
      since: text().describe('7d, 2030-01-31 or 2030-01-31T09:00:00Z.'),
      limit: z.int().min(1).max(MOST_ROWS).optional(),
    },
    run: async ({ limit = USUAL_ROWS, since, ...given }) => {
      const moment = since === undefined ? undefined : momentOf(since)
      const { filter, includes } = readFilter({ ...given, since: moment }, context.io.now())
      const { filter: scope, isListed, description } = listedScope(context)
      const rows: InviteRow[] = []
      await useLedger(context, async (ledger) => {
        for await (const record of ledger.list({ ...scope, ...filter })) {
          if (!isListed(record)) continue
          rows.push(...inviteRowsOf(record, flags.showLinks ?? false).filter(includes))
          if (rows.length > limit) break
        }
      })
      const invites = rows.slice(0, limit).map(shown)
      return { of: description || 'the whole ledger', hasMore: rows.length > limit, invites }
    },
  })
  addTool(server, session, {
    name: 'view_invite',
    description: 'Shows all that is recorded of an invite: its state, its result, retakes and level-ups.',
    reads: true,
    input: { id: z.string().min(1).describe('The inviteId, or the reference of the create.') },
    run: async ({ id }) => {
      const invites = await useLedger(context, async (ledger) => {
        const records = await recordsOf(ledger, id)
        return records.flatMap((record) => {
          const rows = inviteRowsOf(record, flags.showLinks ?? false)
          const named = rows.filter(({ inviteId }) => inviteId === id)
          return (named.length > 0 ? named : rows).map((row) => ({ ...shown(row), chains: chainsOf(row, record) }))
        })
      })
      if (invites.length > 0) return { invites }
      throw notFoundError('the ledger has no such invite or reference.', 'list_invites shows what it has.')
    },
  })
}
