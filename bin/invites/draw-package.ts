import type { Package, Skill } from '../../src/index.ts'
import type { Terminal } from '../terminal/output.ts'
import type { Column } from '../terminal/table.ts'
import { descriptive, shown } from './descriptive.ts'

export function drawPackage({ name, level, id, description, skills }: Package, terminal: Terminal): string {
  const title = `\n${terminal.bold(shown(name))}  ${terminal.dim(shown(level))}\n`
  const fields = terminal.fields([
    ['package id', id],
    ['about', shown(description)],
  ])
  return `${title}${fields}\n${terminal.table(skillColumns, skills)}`
}

const skillColumns: readonly Column<Skill>[] = [
  { title: 'QUIZ ID', value: ({ quizId }) => quizId },
  descriptive('SKILL', ({ skillName }) => skillName, true),
  descriptive('MINUTES', ({ durationMinutes }) => durationMinutes),
  descriptive('LANGUAGES', ({ enabledLanguages }) => enabledLanguages, true),
  descriptive('CONCEPTS', ({ conceptsTested }) => conceptsTested?.join(', ') ?? null, true),
]
