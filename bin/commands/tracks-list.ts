import type { PackageTrack } from '../../src/index.ts'
import type { Column } from '../terminal/table.ts'
import type { DefineCommand } from './command.ts'
import { once } from './flags.ts'

/** certify tracks list */
export const define: DefineCommand = (command, { client, output, io }) => {
  command
    .option('--search <text>', 'keep what matches this text, over the names of tracks and packages', once)
    .addHelpText(
      'after',
      `
Needs a key with the scope CERTIFICATION_PACKAGE_READ.

Output: one row a track: slug, name, number of packages, their levels.
With --json: the list of tracks, each with its packages and their skills.

Examples:
  $ certify tracks list
  $ certify tracks list --search react
  $ certify tracks list --json | jq -r '.[].packages[].id'`,
    )
    .action(async ({ search }: { search?: string }) => {
      const tracks = await (await client()).tracks.list({ search }, { signal: io.interruption })
      await output.data({ value: tracks, columns, rows: tracks, ...(tracks.length === 0 && { draw: () => '' }) })
      await output.remark(
        tracks.length === 0 ? 'No tracks found.' : '\nPackages, skills and their ids: certify tracks view <slug>',
      )
    })
}

const columns: readonly Column<PackageTrack>[] = [
  { title: 'SLUG', value: ({ slug }) => slug },
  { title: 'NAME', value: ({ name }) => name, cut: true },
  { title: 'PACKAGES', value: ({ packages }) => String(packages.length) },
  { title: 'LEVELS', value: ({ packages }) => packages.map(({ level }) => level).join(', '), cut: true },
]
