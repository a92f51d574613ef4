import { type Command, Option } from 'commander'
import { CliError } from '../cli-error.ts'
import { type Preferences, SETTINGS, type Setting, type SettingName } from '../config/settings.ts'
import type { Context } from '../context.ts'
import { didYouMean } from '../spelling.ts'
import { widthOf, wrap } from './wrap.ts'

/** What the help of a command says beside its flags, and what of the common flags it takes. */
export interface Manual {
  /** The scope that a key needs for it. */
  readonly scope?: 'CERTIFICATION_PACKAGE_READ' | 'CERTIFICATION_INVITE_CREATE'
  /** How it is called, where that is more than its flags and arguments. */
  readonly usage?: string
  /** Paragraphs. */
  readonly notes?: readonly string[]
  /** What it prints into a pipe and on a terminal. */
  readonly output: string
  /** What it prints with --json. */
  readonly json?: string
  /** The fields that --fields can choose from; without them there is no --fields. */
  readonly fields?: readonly string[]
  /** What --quiet prints; without it there is no --quiet. */
  readonly ids?: string
  /** Whether there is a request that --dry-run can show. */
  readonly writes?: boolean
  /** What common flags do here, where that is another thing than elsewhere. */
  readonly words?: Readonly<Partial<Record<SettingName, string>>>
  readonly examples: readonly string[]
}

const MANUALS = new WeakMap<Command, Manual>()

/** Gives a command its manual, and holds it to what that says of the common flags. */
export function addManual(command: Command, context: Context, manual: Manual): Command {
  MANUALS.set(command, manual)
  if (manual.usage !== undefined) command.usage(manual.usage)
  return command
    .addHelpText('after', () => `\n${manualText(manual, widthOf(context.io.stdout))}`)
    .hook('preAction', (_command, running) => {
      if (running === command) checkCommonFlags(manual, nameOf(command), context)
    })
}

/** The manual of a command that has been loaded. */
export function manualOf(command: Command): Manual | undefined {
  return MANUALS.get(command)
}

/** The common flags that a command takes, in words that are true for it; all of them for a group. */
export function commonOptions(command: Command): Option[] {
  const manual = MANUALS.get(command)
  const { options } = rootOf(command)
  if (manual === undefined) return [...options]
  const { words = {} } = manual
  const refused: readonly SettingName[] = refusedBy(manual)
  return options.flatMap((option) => {
    const name = NAMES.find((each) => SETTINGS[each].flags === option.flags)
    if (name === undefined) return [option]
    return refused.includes(name) ? [] : [new Option(option.flags, words[name] ?? option.description)]
  })
}

const NAMES = Object.keys(SETTINGS) as readonly SettingName[]

function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent)
}

/** The common flags that would do nothing for a command, and are refused. */
export function refusedBy({ ids, fields, writes }: Manual): readonly (keyof Preferences & SettingName)[] {
  const taken = { quiet: ids !== undefined, fields: fields !== undefined, dryRun: writes === true }
  return (['quiet', 'fields', 'dryRun'] as const).filter((name) => !taken[name])
}

/** The words that call a command, as in `tracks list`. */
export function nameOf(command: Command): string {
  const { parent } = command
  return parent === null || parent.parent === null ? command.name() : `${parent.name()} ${command.name()}`
}

function manualText({ scope, notes = [], examples, ...manual }: Manual, width: number): string {
  const paragraphs = [
    ...(scope === undefined ? [] : [`Needs a key with the scope ${scope}.`]),
    ...notes,
    ...outputParagraphs(manual),
  ]
  const lines = examples.map((example) => `  $ ${example.replaceAll('\n', '\n      ')}`)
  return [...paragraphs.map((each) => wrap(each, '', width)), `Examples:\n${lines.join('\n')}`].join('\n\n')
}

/** What a command prints, in sentences. */
export function outputParagraphs({ output, json, fields, ids }: Omit<Manual, 'examples'>): readonly string[] {
  return [
    `Output: ${output}${json === undefined ? '' : ` With --json: ${json}`}`,
    ...(fields === undefined ? [] : [`Fields for --fields: ${fields.join(', ')}.`]),
    ...(ids === undefined ? [] : [`With --quiet: ${ids}.`]),
  ]
}

/* A flag that would do nothing is refused; a variable is left out of the preferences where it cannot be used. */
function checkCommonFlags(manual: Manual, name: string, { preferences }: Context): void {
  const { fields = [] } = manual
  for (const refused of refusedBy(manual)) refuse(preferences[refused], name)
  for (const field of preferences.fields.value ?? []) {
    if (manual.fields === undefined || fields.includes(field)) continue
    throw new CliError(`${name} has no such field.${didYouMean(field, fields)}`, `Fields are ${fields.join(', ')}.`)
  }
}

function refuse({ origin }: Setting<unknown>, name: string): void {
  if (!origin.startsWith('-')) return
  throw new CliError(
    `certify ${name} takes no ${origin}.`,
    origin === '--dry-run' ? 'It is for commands that create something.' : `See certify ${name} --help.`,
  )
}
