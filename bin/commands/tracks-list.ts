import type { PackageTrack } from '../../src/index.ts'
import type { DefineCommand } from '../context.ts'
import { once } from '../flags.ts'
import { addManual } from '../help.ts'
import { descriptive, shown } from '../invites/draw.ts'
import type { Column } from '../terminal/table.ts'

export const define: DefineCommand = (command, context) => {
  addManual(command, {
    about: 'Needs a key with the scope CERTIFICATION_PACKAGE_READ.',
    output: 'one row per track.',
    columns,
    ids: 'the slugs',
    examples: ['certify tracks list --search react', "certify tracks list --json | jq '.[].packages[].id'"],
    guide: 'inviting.md',
  })
    .option('--search <text>', 'only tracks and packages with this text in their names', once)
    .action(async ({ search }: { search?: string }) => {
      const { io, output, client } = context
      const tracks = await (await client('read')).tracks.list({ search }, { signal: io.interruption })
      const ids = tracks.map(({ slug }) => slug)
      await output.data({ value: tracks, columns, rows: tracks, ids, ...(tracks.length === 0 && { draw: () => '' }) })
      await output.remark(
        tracks.length === 0 ? 'No tracks found.' : '\nPackages, skills and their ids: certify tracks view <slug>',
      )
    })
}

const columns: readonly Column<PackageTrack>[] = [
  { title: 'SLUG', value: ({ slug }) => slug },
  descriptive('NAME', ({ name }) => name, true),
  { title: 'PACKAGES', note: 'number of packages', value: ({ packages }) => packages.length, fit: 'drop' },
  {
    title: 'LEVELS',
    note: 'their levels',
    value: ({ packages }) => packages.map(({ level }) => shown(level)).join(', '),
    fit: 'end',
  },
]
