import type { Package, Skill } from '../../src/index.ts'
import type { Terminal } from '../terminal/output.ts'
import type { Column } from '../terminal/table.ts'

export function drawPackage({ name, level, id, description, skills }: Package, terminal: Terminal): string {
  const title = `\n${terminal.bold(name)}  ${terminal.dim(level)}\n`
  const fields = terminal.fields([
    ['package id', id],
    ['about', description],
  ])
  return `${title}${fields}\n${terminal.table(skillColumns, skills)}`
}

const skillColumns: readonly Column<Skill>[] = [
  { title: 'QUIZ ID', value: ({ quizId }) => quizId },
  { title: 'SKILL', value: ({ skillName }) => skillName, cut: true },
  { title: 'MINUTES', value: ({ durationMinutes }) => durationMinutes },
  { title: 'LANGUAGES', value: ({ enabledLanguages }) => enabledLanguages, cut: true },
  { title: 'CONCEPTS', value: ({ conceptsTested }) => conceptsTested.join(', '), cut: true },
]
