import type { Command } from 'commander'
import type { Column } from './terminal/table.ts'
import { wrap } from './terminal/text.ts'

/** The help of a command, apart from its options. It fits on one screen: long texts are in the guide. */
export interface Manual {
  /** What it does, in a sentence or two. */
  readonly about: string
  /** The output, for the reference: of the columns, only what they do not say themselves. */
  readonly output: string
  /** The columns of a row in a pipe. The reference lists them. */
  readonly columns?: readonly Column<never>[]
  /** What --quiet prints. */
  readonly ids?: string
  /** What --dry-run does. */
  readonly dryRun?: string
  /** Options that the help only names, separated by spaces; the reference explains them. */
  readonly advancedOptions?: string
  readonly examples: readonly [string, string?]
  /** The page of the guide. */
  readonly guide: string
}

const MANUALS = new WeakMap<Command, Manual>()

/** Adds the help of a command, and the options that follow from it. */
export function addManual(command: Command, manual: Manual): Command {
  MANUALS.set(command, manual)
  const { ids, dryRun } = manual
  if (ids !== undefined) command.option('-q, --quiet', `print ${ids} only, one per line`)
  if (dryRun !== undefined) command.option('--dry-run', dryRun)
  return command.addHelpText('after', () => `\n${footOf(command, manual)}`)
}

export function manualOf(command: Command): Manual | undefined {
  return MANUALS.get(command)
}

/* The commands whose help explains every option: see {@link showAllOptions}. */
const EXPLAINED = new WeakSet<Command>()

/** Makes the help of a command explain every option, however long it becomes. */
export function showAllOptions(command: Command): void {
  EXPLAINED.add(command)
}

/** Whether the help explains an option rather than only naming it. */
export function isExplained(command: Command, long: string | undefined): boolean {
  if (EXPLAINED.has(command)) return long !== '--help'
  return long !== '--help' && !['--quiet', ...namesIn(MANUALS.get(command)?.advancedOptions)].includes(long ?? '')
}

/** The name of a command, without the name of the program. */
export function nameOf(command: Command): string {
  const { parent } = command
  return parent === null || parent.parent === null ? command.name() : `${parent.name()} ${command.name()}`
}

function footOf(command: Command, { advancedOptions, examples, guide }: Manual): string {
  const named = command.options.flatMap(({ long }) => (long !== undefined && !isExplained(command, long) ? [long] : []))
  const others = EXPLAINED.has(command)
    ? []
    : [...new Set([...namesIn(advancedOptions), ...named])].filter((long) => long !== '--help')
  const lines = [
    wrap(`Also ${[...others, 'the options of certify --help, such as --json, --yes and --profile'].join(', ')}.`, '  '),
    'Examples:',
    ...examples.flatMap((each) => (each === undefined ? [] : [`  $ ${each}`])),
    `Guide: docs/${guide}; every option: certify help ${nameOf(command)}`,
  ]
  return lines.join('\n')
}

const namesIn = (options = ''): readonly string[] => options.split(' ').filter(Boolean)
