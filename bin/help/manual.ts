import type { Command } from 'commander'
import type { Context } from '../commands/command.ts'
import type { Setting } from '../config/settings.ts'
import { didYouMean } from '../spelling.ts'
import { UsageError } from '../usage-error.ts'
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
      if (running === command) holdTo(manual, nameOf(command), context)
    })
}

/** The manual of a command that has been loaded. */
export function manualOf(command: Command): Manual | undefined {
  return MANUALS.get(command)
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
function holdTo({ fields, ids, writes }: Manual, name: string, { preferences }: Context): void {
  refuseUnless(ids !== undefined, preferences.quiet, name)
  refuseUnless(fields !== undefined, preferences.fields, name)
  refuseUnless(writes === true, preferences.dryRun, name)
  for (const field of (fields && preferences.fields.value) ?? []) {
    if (fields?.includes(field) === true) continue
    throw new UsageError({
      message: `${name} has no such field.${didYouMean(field, fields ?? [])}`,
      hint: `Fields are ${fields?.join(', ')}.`,
    })
  }
}

function refuseUnless(taken: boolean, { origin }: Setting<unknown>, name: string): void {
  if (taken || !origin.startsWith('-')) return
  throw new UsageError({
    message: `certify ${name} takes no ${origin}.`,
    hint: origin === '--dry-run' ? 'It is for commands that create something.' : `See certify ${name} --help.`,
  })
}
