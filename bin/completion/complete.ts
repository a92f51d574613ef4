import type { Command, Option } from 'commander'
import { readService, SANDBOX, storeOf } from '../config/connection.ts'
import type { Program } from '../context.ts'
import { manualOf } from '../help.ts'
import type { Io } from '../io.ts'
import { printable } from '../terminal/printable.ts'
import { cachedNames } from './name-cache.ts'

/** A word, and what it means; `undefined` if a file may stand there. */
type Words = readonly (readonly [word: string, about: string])[] | undefined

/** The possible words at the cursor, for a shell: one a line, a tab, and its meaning; `:files` for files. Needs no network. */
export async function complete(program: Program, io: Io, argv: readonly string[]): Promise<string> {
  const typed = argv.at(-1) ?? ''
  const before = argv.slice(0, -1)
  const { command, values } = await follow(program, before)
  const options = [...program.root.options, ...command.options]
  const pending = options.find((each) => each.required && [each.long, each.short].includes(before.at(-1)))
  const found = wordsAt(program, io, command, { pending, typed, place: values.length, options })
  if (found === undefined) return ':files\n'
  const fitting = found.filter(([word]) => word.startsWith(typed) && /^-{0,2}[A-Za-z0-9][\w.:@/-]*$/.test(word))
  return fitting.map(([word, about]) => `${word}\t${printable(about)}\n`).join('')
}

/* Follows the words that name commands; the values are the others that are no flags, nor values of flags. */
async function follow(program: Program, words: readonly string[]) {
  let command: Command = program.root
  const values: string[] = []
  for (const [index, word] of words.entries()) {
    const next = values.length === 0 ? command.commands.find((each) => each.name() === word) : undefined
    if (next !== undefined) {
      const path = [...(next.parent?.parent ? [next.parent.name()] : []), next.name()]
      command = (await program.find(path)) ?? next
      continue
    }
    const options = [...program.root.options, ...command.options]
    const isValue = options.some((each) => each.required && [each.long, each.short].includes(words[index - 1]))
    if (!word.startsWith('-') && !isValue) values.push(word)
  }
  return { command, values }
}

interface Cursor {
  readonly pending: Option | undefined
  readonly typed: string
  readonly place: number
  readonly options: readonly Option[]
}

function wordsAt(program: Program, io: Io, command: Command, { pending, typed, place, options }: Cursor): Words {
  if (pending?.argChoices !== undefined) return pending.argChoices.map((word) => [word, ''])
  if (pending !== undefined) return valuesOf(/[<[]([^>\]]+)/.exec(pending.flags)?.[1] ?? '', program, io, command)
  if (typed.startsWith('-')) return options.map(({ long, description }) => [long ?? '', description])
  if (command.commands.length > 0) {
    return command
      .createHelp()
      .visibleCommands(command)
      .map((each) => [each.name(), each.description()])
  }
  const argument = command.registeredArguments[Math.min(place, command.registeredArguments.length - 1)]
  if (argument === undefined || (place >= command.registeredArguments.length && !argument.variadic)) return []
  return valuesOf(argument.name(), program, io, command)
}

/* The name of a value is its kind. */
function valuesOf(kind: string, program: Program, io: Io, command: Command): Words {
  if (['file', 'path', 'document', 'command', 'args'].includes(kind)) return undefined
  if (kind === 'names') return (manualOf(command)?.fields ?? []).map((field) => [field, ''])
  if (kind === 'shell') return ['bash', 'zsh', 'fish'].map((shell) => [shell, ''])
  if (kind === 'words')
    return program.names.flatMap((name) =>
      name
        .split(' ')
        .slice(0, 1)
        .map((word) => [word, ''] as const),
    )
  const names = [...Object.keys(storeOf(io).config().profiles), SANDBOX.name]
  if (kind === 'name') return names.map((name) => [name, 'profile'])
  if (kind !== 'slug' && kind !== 'quiz-id' && kind !== 'package-id') return []
  const known = cachedNames(io, readService(io, program.root).baseUrl.value)[kind] ?? []
  return known.map(({ value, about }) => [value, about])
}
