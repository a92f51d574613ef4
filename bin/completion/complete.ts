import type { Command, Option } from 'commander'
import { readConnection, SANDBOX, shownAddress, storeOf } from '../config/connection.ts'
import { SETTINGS } from '../config/settings.ts'
import type { Program } from '../context.ts'
import { RepeatedOption } from '../flags.ts'
import { commonOptions, manualOf, rootOf } from '../help/manual.ts'
import type { Io } from '../io.ts'
import { printable } from '../terminal/printable.ts'
import { type Completion, cachedNames } from './name-cache.ts'

/* The shell completes files by itself. */
const FILES = ':files'

type Completions = readonly Completion[] | typeof FILES

/**
 * The possible words at the cursor, for the scripts of the shells: one word a line, a tab, and its meaning; `:files` if a
 * file may stand there. Needs no network.
 */
export async function complete(program: Program, io: Io, argv: readonly string[]): Promise<string> {
  const words = joinedAtBreaks(argv)
  const current = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  readFlags(program, before)
  const { command, rest } = await follow(program, before)
  const flags = [...commonOptions(command), ...command.options].filter(({ hidden }) => !hidden)
  if (!before.includes('--')) {
    const pending = flagWithValue(before.at(-1), flags)
    if (pending !== undefined) return lines(await valuesOf(pending, command, io, current), current)
    const [, name, typed = ''] = /^(--[^=]+)=(.*)$/s.exec(current) ?? []
    const named = flags.find(({ long }) => name !== undefined && long === name)
    if (named !== undefined) return lines(await valuesOf(named, command, io, typed), typed)
    if (current.startsWith('-')) return lines(flagCompletions(flags, before), current)
  }
  const place = positionals(rest, flags).length
  const below = command.commands.length > 0 && place === 0 ? lines(subcommands(command), current) : ''
  const argument = command.registeredArguments[Math.min(place, command.registeredArguments.length - 1)]
  if (argument === undefined || (place >= command.registeredArguments.length && !argument.variadic)) return below
  return below + lines(await valuesNamed(argument.name(), command, io, program, rest), current)
}

/* bash makes separate words of equals and at signs. */
function joinedAtBreaks(words: readonly string[]): readonly string[] {
  const joined: string[] = []
  for (const [index, word] of words.entries()) {
    const isEquals = word === '=' && joined.at(-1)?.startsWith('--') === true
    const followsEquals = words[index - 1] === '=' && joined.at(-1)?.endsWith('=') === true
    const follows = isEquals || followsEquals || words[index - 1] === '@'
    joined.push(follows ? `${joined.pop()}${word}` : word)
  }
  return joined
}

/* The service decides which ids there are. */
function readFlags({ root }: Program, words: readonly string[]): void {
  try {
    root.parseOptions([...words])
  } catch {
    /* The command line is not finished. */
  }
}

/* Follows the words that name commands; the rest are flags, values and arguments. */
async function follow(program: Program, words: readonly string[]) {
  let command = program.root
  const rest: string[] = []
  for (const word of words) {
    const isArgument = command !== program.root && rest.some((each) => !each.startsWith('-'))
    const next = isArgument ? undefined : command.commands.find((each) => each.name() === word)
    if (next === undefined) rest.push(word)
    else command = next
  }
  const path = command === program.root ? [] : pathOf(command)
  return { command: (path.length > 0 && (await program.find(path))) || command, rest }
}

function pathOf(command: Command): readonly string[] {
  return command.parent === null ? [] : [...pathOf(command.parent), command.name()]
}

function flagWithValue(word: string | undefined, flags: readonly Option[]): Option | undefined {
  return flags.find(({ long, short, required }) => required && word !== undefined && (word === long || word === short))
}

function flagCompletions(flags: readonly Option[], used: readonly string[]): readonly Completion[] {
  const unused = flags.filter((flag) => !used.includes(flag.long ?? '') || flag instanceof RepeatedOption)
  return [...unused, { long: '--help', description: 'show help' }].map(({ long, description }) => ({
    value: long ?? '',
    about: description,
  }))
}

function subcommands(command: Command): readonly Completion[] {
  const visible = command.createHelp().visibleCommands(command)
  return visible.map((each) => ({ value: each.name(), about: each.description() }))
}

function positionals(rest: readonly string[], flags: readonly Option[]): readonly string[] {
  return rest.filter((word, index) => !word.startsWith('-') && flagWithValue(rest[index - 1], flags) === undefined)
}

/* The word between the brackets of a flag is the kind of its value. */
async function valuesOf(option: Option, command: Command, io: Io, typed: string): Promise<Completions> {
  const [, kind = ''] = /[<[]([^>\]]+)[>\]]/.exec(option.flags) ?? []
  if (kind.includes('|')) return unexplained(kind.split('|'))
  if (kind !== 'fields') return valuesNamed(kind, command, io)
  const before = typed.slice(0, typed.lastIndexOf(',') + 1)
  const fields = manualOf(command)?.fields ?? []
  return unexplained(fields.filter((each) => !before.split(',').includes(each)).map((each) => before + each))
}

async function valuesNamed(
  kind: string,
  command: Command,
  io: Io,
  program?: Program,
  rest: readonly string[] = [],
): Promise<Completions> {
  switch (kind) {
    case 'file':
    case 'path':
    case 'document':
    case 'name=value':
    case 'command':
    case 'args':
      return FILES
    case 'when':
      return unexplained(SETTINGS.color.values)
    case 'state':
      return unexplained((await import('../ledger/invite-row.ts')).LISTED_STATES)
    case 'shell':
      return unexplained(Object.keys((await import('./scripts.ts')).SCRIPTS))
    case 'profile':
      return safe(profiles(io))
    case 'slug':
    case 'package-id':
    case 'quiz-id':
      return safe(cachedNames(io, readConnection(io, rootOf(command).opts()).baseUrl.value)[kind])
    case 'words':
      return program === undefined ? [] : wordsOfHelp(program, rest)
    default:
      return []
  }
}

function unexplained(values: readonly string[]): readonly Completion[] {
  return values.map((value) => ({ value, about: '' }))
}

async function wordsOfHelp(program: Program, rest: readonly string[]): Promise<readonly Completion[]> {
  const { TOPICS } = await import('../help/topics.ts')
  const { command } = await follow(program, rest)
  const topics = Object.entries(TOPICS).map(([value, { summary }]) => ({ value, about: summary }))
  return [...subcommands(command), ...(rest.length === 0 ? topics : [])]
}

function profiles(io: Io): readonly Completion[] {
  const stored = Object.entries(storeOf(io).config().profiles)
  const known = stored.map(([value, { baseUrl = '' }]) => ({ value, about: shownAddress(baseUrl) }))
  return [...known, { value: SANDBOX.name, about: SANDBOX.baseUrl }]
}

/* The service chooses its names. Those that a shell would interpret, or take for a flag, are left out. */
function safe(known: readonly Completion[] = []): readonly Completion[] {
  return known.filter(({ value }) => /^[A-Za-z0-9][\w.:@/-]*$/.test(value))
}

function lines(known: Completions, typed: string): string {
  if (known === FILES) return `${FILES}\n`
  const fitting = known.filter(({ value }) => value.startsWith(typed))
  return fitting.map(({ value, about }) => `${value}\t${printable(about)}\n`).join('')
}
