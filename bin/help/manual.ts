import { type Command, Option } from 'commander'
import { CliError } from '../cli-error.ts'
import { type Preferences, SETTINGS, type Setting, type SettingName } from '../config/settings.ts'
import type { Io } from '../io.ts'
import { didYouMean } from '../spelling.ts'
import { widthOf, wrap } from './wrap.ts'

/** The help of a command beside its flags, and which common flags it takes. */
export interface Manual {
  /** The scope that the key needs. */
  readonly scope?: 'CERTIFICATION_PACKAGE_READ' | 'CERTIFICATION_INVITE_CREATE'
  /** The synopsis, if it is more than the flags and arguments. */
  readonly usage?: string
  readonly notes?: readonly string[]
  /** The output in a pipe and on a terminal. */
  readonly output: string
  /** The output with --json; `list` for a list of objects with the fields. Default: an object with the fields. */
  readonly json?: string
  /**
   * Whether --jq is refused, as it is without JSON: the output is not one document, or a filter that fails would lose what
   * the command has changed.
   */
  readonly refusesJq?: boolean
  /** The fields for --fields; without them the command refuses --fields. */
  readonly fields?: readonly string[]
  /** The output with --quiet; without it the command refuses --quiet. */
  readonly ids?: string
  /** Whether --dry-run can show a request. */
  readonly writes?: boolean
  /** Whether it changes something and has no dry run: then it is refused too while CERTIFY_DRY_RUN is set. */
  readonly hasNoDryRun?: boolean
  /** Summaries of common flags that do something else here. */
  readonly words?: Readonly<Partial<Record<SettingName, string>>>
  readonly examples: readonly string[]
}

/** The part of the context that a manual needs. The preferences may only be read when the command runs. */
interface ManualContext {
  readonly io: Pick<Io, 'stdout' | 'env' | 'pipe' | 'interruption'>
  readonly preferences: Preferences
}

const MANUALS = new WeakMap<Command, Manual>()

/** Sets the manual of a command, and makes the command refuse the common flags that the manual excludes. */
export function addManual(command: Command, context: ManualContext, described: Manual): Command {
  const json = jsonOf(described)
  const manual = { ...described, ...(json !== undefined && { json }) }
  MANUALS.set(command, manual)
  if (manual.usage !== undefined) command.usage(manual.usage)
  return command
    .addHelpText('after', () => `\n${manualText(manual, widthOf(context.io.stdout))}`)
    .hook('preAction', async (_command, running) => {
      if (running !== command) return
      checkCommonFlags(manual, nameOf(command), context)
      const { jq } = context.preferences
      if (jq.value !== undefined) await (await import('../children/jq.ts')).checkFilter(context.io, jq.value)
    })
}

function jsonOf({ json, fields }: Manual): string | undefined {
  const object = fields && `{${fields.map((field) => `"${field}"`).join(',')}}.`
  return json === 'list' ? `the list of ${object}` : (json ?? object)
}

export function manualOf(command: Command): Manual | undefined {
  return MANUALS.get(command)
}

/** The common flags that a command takes; all of them for a group. */
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

/** The command of the program itself. */
export function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent)
}

/** The common flags that would do nothing, and are refused. */
export function refusedBy({
  ids,
  fields,
  json,
  refusesJq = false,
  writes,
}: Manual): readonly (keyof Preferences & SettingName)[] {
  const taken = {
    quiet: ids !== undefined,
    fields: fields !== undefined,
    jq: json !== undefined && !refusesJq,
    dryRun: writes === true,
  }
  return (['quiet', 'fields', 'jq', 'dryRun'] as const).filter((name) => !taken[name])
}

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

export function outputParagraphs({ output, json, fields, ids }: Omit<Manual, 'examples'>): readonly string[] {
  return [
    `Output: ${output}${json === undefined ? '' : ` With --json: ${json}`}`,
    ...(fields === undefined ? [] : [`Fields for --fields: ${fields.join(', ')}.`]),
    ...(ids === undefined ? [] : [`With --quiet: ${ids}.`]),
  ]
}

/* Of a flag only: the preferences ignore a variable that the command cannot use. */
function checkCommonFlags(manual: Manual, name: string, { preferences }: ManualContext): void {
  const { fields = [] } = manual
  for (const refused of refusedBy(manual)) refuse(preferences[refused], name)
  if (manual.hasNoDryRun === true && preferences.dryRun.value) throw noDryRun(preferences.dryRun.origin, name)
  for (const field of preferences.fields.value ?? []) {
    if (manual.fields === undefined || fields.includes(field)) continue
    throw new CliError(`${name} has no such field.${didYouMean(field, fields)}`, `Fields are ${fields.join(', ')}.`)
  }
}

/** The error of a command that changes something while a dry run is asked for. */
export function noDryRun(origin: string, name: string): CliError {
  const message = `${origin} is set, and certify ${name} has no dry run. Nothing was changed.`
  return new CliError(message, 'To run it, unset the variable.')
}

function refuse({ origin }: Setting<unknown>, name: string): void {
  if (!origin.startsWith('-')) return
  throw new CliError(`certify ${name} takes no ${origin}.`, `See certify ${name} --help.`)
}
