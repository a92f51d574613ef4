import type { Package, PackageTrack, Skill } from '../../src/index.ts'
import { notFoundError } from '../cli-error.ts'
import type { DefineCommand } from '../context.ts'
import { addManual } from '../help.ts'
import { drawPackage, shown } from '../invites/draw.ts'
import type { Terminal } from '../terminal/output.ts'
import type { Column } from '../terminal/table.ts'

export const define: DefineCommand = (command, context) => {
  addManual(command, {
    about: 'Shows the ids that you need to invite. Needs a key with the scope CERTIFICATION_PACKAGE_READ.',
    output: 'the track. In a pipe, one row per skill.',
    columns,
    ids: 'the ids of its packages',
    examples: ['certify tracks view react', "certify tracks view react --json | jq '.packages[].skills[].quizId'"],
    guide: 'inviting.md',
  })
    .argument('<slug>', 'the slug of the track, as `certify tracks list` shows it')
    .action(async (slug: string) => {
      const { io, output, client } = context
      const track = await (await client('read')).tracks.get(slug, { signal: io.interruption })
      if (track === null) {
        const hint = `\`certify tracks list${context.profileFlag}\` shows the slugs.`
        throw notFoundError('there is no track with this slug.', hint)
      }
      const rows = track.packages.flatMap((pack) => pack.skills.map((skill) => ({ pack, skill })))
      const ids = track.packages.map(({ id }) => id)
      await output.data({ value: track, columns, rows, ids, draw: (terminal) => drawTrack(track, terminal) })
      await output.remark('\nTo invite: certify invites create --help')
    })
}

const columns: readonly Column<{ readonly pack: Package; readonly skill: Skill }>[] = [
  { title: 'PACKAGE ID', value: ({ pack }) => pack.id },
  { title: 'LEVEL', value: ({ pack }) => pack.level },
  { title: 'PACKAGE', value: ({ pack }) => pack.name },
  { title: 'QUIZ ID', value: ({ skill }) => skill.quizId },
  { title: 'SKILL', value: ({ skill }) => skill.skillName },
  { title: 'MINUTES', value: ({ skill }) => skill.durationMinutes },
  { title: 'LANGUAGES', value: ({ skill }) => skill.enabledLanguages },
  { title: 'CONCEPTS', value: ({ skill }) => skill.conceptsTested?.join(', ') },
]

function drawTrack({ name, slug, id, packages }: PackageTrack, terminal: Terminal): string {
  const title = `${terminal.bold(shown(name))}  ${terminal.dim(`${slug} · ${id}`)}\n`
  if (packages.length === 0) return `${title}\nNo package of this track can be delivered at the moment.\n`
  return title + packages.map((each) => drawPackage(each, terminal)).join('')
}
