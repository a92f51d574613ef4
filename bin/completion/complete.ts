import type { Command, Option } from 'commander'
import { readConnection, SANDBOX, shownAddress, storeOf } from '../config/connection.ts'
import { SETTINGS } from '../config/settings.ts'
import type { Program } from '../context.ts'
import { RepeatedOption } from '../flags.ts'
import { commonOptions, manualOf } from '../help/manual.ts'
import type { Io } from '../io.ts'
import { printable } from '../terminal/printable.ts'
import { cachedNames, type Known } from './name-cache.ts'

/** What a shell has to complete by itself. */
const FILES = ':files'

/**
 * What may stand at the cursor, for the scripts of the shells: one word a line, a tab, and what it is; `:files` where a
 * file may stand. Reads files at most.
 */
export async function complete(program: Program, io: Io, given: readonly string[]): Promise<string> {
  const words = joinedAtBreaks(given)
  const current = words.at(-1) ?? ''
  readFlags(program, words.slice(0, -1))
  const { command, rest } = await follow(program, words.slice(0, -1))
  const flags = [...commonOptions(command), ...command.options].filter(({ hidden }) => !hidden)
  /* Behind -- nothing is a flag. */
  const isBehindDashes = words.slice(0, -1).includes('--')
  const pending = isBehindDashes ? undefined : flagThatWaits(words.at(-2), flags)
  const [flag, typed] = splitAtEquals(current)
  const named = typed === undefined || isBehindDashes ? undefined : flags.find(({ long }) => long === flag)
  if (pending !== undefined) return lines(await valuesOf(pending, command, io, current), current)
  if (named !== undefined && typed !== undefined) return lines(await valuesOf(named, command, io, typed), typed)
  if (current.startsWith('-') && !isBehindDashes) return lines(flagsFor(flags, words), current)
  const place = positionals(rest, flags).length
  const below = command.commands.length > 0 && place === 0 ? lines(subcommands(command), current) : ''
  const argument = command.registeredArguments[Math.min(place, command.registeredArguments.length - 1)]
  if (argument === undefined || (place >= command.registeredArguments.length && !argument.variadic)) return below
  return below + lines(await valuesNamed(argument.name(), command, io, program, rest), current)
}

/* bash takes an equals sign, and an at sign, for a word of its own. */
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

/* Which service is meant decides which ids there are. */
function readFlags({ root }: Program, words: readonly string[]): void {
  try {
    root.parseOptions([...words])
  } catch {
    /* The line is not finished. */
  }
}

/* Goes down the tree along the words that name commands; the rest are flags, values and arguments. */
async function follow(program: Program, words: readonly string[]) {
  let command = program.root
  const rest: string[] = []
  for (const word of words) {
    const next =
      rest.some((each) => !each.startsWith('-')) && command !== program.root ? undefined : childOf(command, word)
    if (next === undefined) rest.push(word)
    else command = next
  }
  const path = command === program.root ? [] : pathOf(command)
  return { command: (path.length > 0 && (await program.find(path))) || command, rest }
}

function childOf(command: Command, word: string): Command | undefined {
  return command.commands.find((each) => each.name() === word)
}

function pathOf(command: Command): readonly string[] {
  return command.parent === null ? [] : [...pathOf(command.parent), command.name()]
}

function flagThatWaits(word: string | undefined, flags: readonly Option[]): Option | undefined {
  return flags.find(({ long, short, required }) => required && word !== undefined && (word === long || word === short))
}

function splitAtEquals(word: string): readonly [flag: string, typed: string | undefined] {
  const at = word.startsWith('--') ? word.indexOf('=') : -1
  return at === -1 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)]
}

function flagsFor(flags: readonly Option[], words: readonly string[]): readonly Known[] {
  const used = new Set(words.slice(0, -1))
  const open = flags.filter((flag) => !used.has(flag.long ?? '') || flag instanceof RepeatedOption)
  return [...open, { long: '--help', description: 'show help' }].map(({ long, description }) => ({
    value: long ?? '',
    about: description,
  }))
}

function subcommands(command: Command): readonly Known[] {
  const visible = command.createHelp().visibleCommands(command)
  return visible.map((each) => ({ value: each.name(), about: each.description() }))
}

function positionals(rest: readonly string[], flags: readonly Option[]): readonly string[] {
  return rest.filter((word, index) => !word.startsWith('-') && flagThatWaits(rest[index - 1], flags) === undefined)
}

/* The name between the brackets of a flag says what its value is. */
async function valuesOf(
  option: Option,
  command: Command,
  io: Io,
  typed: string,
): Promise<readonly Known[] | typeof FILES> {
  const [, kind = ''] = /[<[]([^>\]]+)[>\]]/.exec(option.flags) ?? []
  if (kind.includes('|')) return kind.split('|').map((value) => ({ value, about: '' }))
  if (kind !== 'fields') return valuesNamed(kind, command, io)
  const before = typed.slice(0, typed.lastIndexOf(',') + 1)
  const fields = manualOf(command)?.fields ?? []
  return fields.filter((each) => !before.split(',').includes(each)).map((each) => ({ value: before + each, about: '' }))
}

async function valuesNamed(
  kind: string,
  command: Command,
  io: Io,
  program?: Program,
  rest: readonly string[] = [],
): Promise<readonly Known[] | typeof FILES> {
  switch (kind) {
    case 'file':
    case 'path':
    case 'document':
    case 'name=value':
    case 'command':
    case 'args':
      return FILES
    case 'when':
      return SETTINGS.color.values.map((value) => ({ value, about: '' }))
    case 'state':
      return (await import('../ledger/invite-row.ts')).LEDGER_STATES.map((value) => ({ value, about: '' }))
    case 'shell':
      return Object.keys((await import('./scripts.ts')).SCRIPTS).map((value) => ({ value, about: '' }))
    case 'profile':
      return plain(profiles(io))
    case 'slug':
    case 'package-id':
    case 'quiz-id':
      return plain(cachedNames(io, readConnection(io, rootOf(command).opts()).baseUrl.value)[kind])
    case 'words':
      return program === undefined ? [] : wordsOfHelp(program, rest)
    default:
      return []
  }
}

async function wordsOfHelp(program: Program, rest: readonly string[]): Promise<readonly Known[]> {
  const { TOPICS } = await import('../help/topics.ts')
  const { command } = await follow(program, rest)
  const topics = Object.entries(TOPICS).map(([value, { summary }]) => ({ value, about: summary }))
  return [...subcommands(command), ...(rest.length === 0 ? topics : [])]
}

function profiles(io: Io): readonly Known[] {
  const stored = Object.entries(storeOf(io).config().profiles)
  const known = stored.map(([value, { baseUrl = '' }]) => ({ value, about: shownAddress(baseUrl) }))
  return [...known, { value: SANDBOX.name, about: SANDBOX.baseUrl }]
}

/* A service may name a thing as it likes. Offered is what no shell reads anything into, and what is no flag. */
function plain(known: readonly Known[] = []): readonly Known[] {
  return known.filter(({ value }) => /^[A-Za-z0-9][\w.:@/-]*$/.test(value))
}

function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent)
}

function lines(known: readonly Known[] | typeof FILES, typed: string): string {
  if (known === FILES) return `${FILES}\n`
  const fitting = known.filter(({ value }) => value.startsWith(typed))
  return fitting.map(({ value, about }) => `${value}\t${printable(about)}\n`).join('')
}
