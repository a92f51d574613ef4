import type { Command, Option } from 'commander'
import { readService, SANDBOX, storeOf } from '../config/connection.ts'
import type { Program } from '../context.ts'
import { manualOf } from '../help.ts'
import type { Io } from '../io.ts'
import { printable } from '../terminal/printable.ts'
import { cachedNames } from './name-cache.ts'

/** Words and what they mean; `undefined` if a file may stand there. */
type Words = readonly (readonly [word: string, about: string])[] | undefined

/** The possible words at the cursor, for a shell: one a line, a tab, and its meaning; `:files` for files. Needs no network. */
export async function complete(program: Program, io: Io, argv: readonly string[]): Promise<string> {
  /* bash hands over `--flag=value` as three words, other shells as one. */
  const last = argv.at(-1) ?? ''
  const [, flag, value] = /^(--[\w-]+)=(.*)$/.exec(last) ?? []
  const typed = value ?? (last === '=' ? '' : last)
  const before = [...argv.slice(0, -1).filter((word) => word !== '='), ...(flag === undefined ? [] : [flag])]
  const { command, place, pending } = await follow(program, before)
  const kind = pending ?? command.registeredArguments[Math.min(place, command.registeredArguments.length - 1)]
  const found =
    pending === undefined && typed.startsWith('-')
      ? optionsOf(program, command).map(({ long, description }) => [long ?? '', description] as const)
      : kind === undefined
        ? commandsBelow(command)
        : valuesOf(kind, { program, io, command, typed })
  if (found === undefined) return ':files\n'
  const prefix = flag === undefined ? '' : `${flag}=`
  const fitting = found.filter(([word]) => word.startsWith(typed))
  return fitting.map(([word, about]) => `${prefix}${word}\t${printable(about)}\n`).join('')
}

/* Follows the words that name commands. The place is the number of other words that are neither flags nor values of flags. */
async function follow(program: Program, words: readonly string[]) {
  let command: Command = program.root
  let place = 0
  let pending: Option | undefined
  for (const word of words) {
    if (pending !== undefined) {
      pending = undefined
      continue
    }
    pending = optionsOf(program, command).find((each) => each.required && [each.long, each.short].includes(word))
    if (word.startsWith('-')) continue
    const next = place === 0 ? command.commands.find((each) => each.name() === word) : undefined
    if (next === undefined) place += 1
    else command = (await program.find([...(next.parent?.parent ? [next.parent.name()] : []), word])) ?? next
  }
  return { command, place, pending }
}

function optionsOf({ root }: Program, command: Command): readonly Option[] {
  return [...root.options, ...command.options]
}

function commandsBelow(command: Command): Words {
  const visible = command.createHelp().visibleCommands(command)
  return visible.map((each) => [each.name(), each.description()])
}

interface Place {
  readonly program: Program
  readonly io: Io
  readonly command: Command
  readonly typed: string
}

/* The name of a value says what it is. What a service or a file sent is offered only if no shell reads anything in it. */
function valuesOf(of: Option | Command['registeredArguments'][number], { program, io, command, typed }: Place): Words {
  if (of.argChoices !== undefined) return of.argChoices.map((word) => [word, ''])
  const kind = 'flags' in of ? /[<[]([^>\]]+)/.exec(of.flags)?.[1] : of.name()
  if (['file', 'path', 'document', 'command', 'args'].includes(kind ?? '')) return undefined
  if (kind === 'words') return commandsBelow(program.root)
  if (kind === 'names') {
    const before = typed.slice(0, typed.lastIndexOf(',') + 1)
    return (manualOf(command)?.fields ?? []).map((field) => [before + field, ''])
  }
  const isProfile = 'flags' in of && of.long === '--profile'
  const named = isProfile ? [...Object.keys(storeOf(io).config().profiles), SANDBOX.name] : []
  const isId = kind === 'slug' || kind === 'quiz-id' || kind === 'package-id'
  const known = isId ? (cachedNames(io, readService(io, program.root).baseUrl.value)[kind] ?? []) : []
  const offered = [...named.map((value) => ({ value, about: 'profile' })), ...known]
  return offered.filter(({ value }) => /^\w[\w.:@/-]*$/.test(value)).map(({ value, about }) => [value, about])
}
