import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import * as z from 'zod'
import { notFoundError } from '../cli-error.ts'
import type { Session } from './session.ts'
import { addTool, READS } from './tool.ts'

const text = z.string().nullable()

/** What can be certified. */
export function addTrackTools(server: McpServer, session: Session): void {
  const { context } = session
  addTool(server, session, {
    name: 'list_tracks',
    title: 'List certification tracks',
    description:
      'Lists the certification tracks of the service with their packages. view_track shows the skills of one.',
    annotations: { ...READS, openWorldHint: true },
    input: { search: z.string().optional().describe('Only tracks and packages with this text in their names.') },
    output: z.looseObject({
      tracks: z.array(
        z.looseObject({
          slug: z.string(),
          name: text,
          packages: z.array(z.looseObject({ packageId: z.string(), name: text, level: text, skills: z.number() })),
        }),
      ),
    }),
    run: async ({ search }, { signal }) => {
      const tracks = await (await context.client('read')).tracks.list({ search }, { signal })
      return {
        value: {
          tracks: tracks.map(({ slug, name, packages }) => ({
            slug,
            name,
            packages: packages.map((each) => ({
              packageId: each.id,
              name: each.name,
              level: each.level,
              skills: each.skills.length,
            })),
          })),
        },
      }
    },
  })
  addTool(server, session, {
    name: 'view_track',
    title: 'View a certification track',
    description:
      'Shows one track with its packages and their skills. Each skill shows its quizId (informational: the one ' +
      'of a single invite comes from the catalog of the service); each package has the packageId of a package invite, which invites to all of its skills.',
    annotations: { ...READS, openWorldHint: true },
    input: { slug: z.string().describe('The slug of the track, as list_tracks shows it.') },
    output: z.looseObject({
      slug: z.string(),
      name: text,
      packages: z.array(
        z.looseObject({
          packageId: z.string(),
          name: text,
          level: text,
          description: text,
          skills: z.array(
            z.looseObject({
              quizId: z.string(),
              skillName: text,
              level: text,
              durationMinutes: z.number().nullable(),
              enabledLanguages: z.array(z.string()).nullable(),
              conceptsTested: z.array(z.string()).nullable(),
            }),
          ),
        }),
      ),
    }),
    run: async ({ slug }, { signal }) => {
      const track = await (await context.client('read')).tracks.get(slug, { signal })
      if (track === null) throw notFoundError('there is no track with this slug.', 'list_tracks shows the slugs.')
      return {
        value: {
          slug: track.slug,
          name: track.name,
          packages: track.packages.map(({ id, ...others }) => ({ packageId: id, ...others })),
        },
      }
    },
  })
}
