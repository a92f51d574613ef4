import type { Command, Option } from 'commander'
import type { DefineCommand, Program } from '../context.ts'

/** certify __complete: called by the scripts of `certify completion`. The last word is the one at the cursor. */
export const define: DefineCommand = (command, { program, output }) => {
  command.argument('[words...]').action(async (words: readonly string[]) => {
    await output.text(await complete(program, words).catch(() => ''))
  })
}

/** The possible words at the cursor, for a shell: one per line, a tab, and its meaning; `:files` for a file. */
async function complete(program: Program, argv: readonly string[]): Promise<string> {
  /* bash hands over `--flag=value` as three words, other shells as one. */
  const last = argv.at(-1) ?? ''
  const [, flag, value] = /^(--[\w-]+)=(.*)$/.exec(last) ?? []
  const typed = value ?? (last === '=' ? '' : last)
  const before = [...argv.slice(0, -1).filter((word) => word !== '='), ...(flag === undefined ? [] : [flag])]
  const { command, place, pending } = await follow(program, before)
  const options = optionsOf(program, command)
  const argument = command.registeredArguments[Math.min(place, command.registeredArguments.length - 1)]
  const awaited = pending ?? (typed.startsWith('-') ? undefined : argument)
  if (awaited !== undefined && FILES.test('flags' in awaited ? awaited.flags : `<${awaited.name()}>`)) return ':files\n'
  const found =
    awaited !== undefined
      ? (awaited.argChoices ?? []).map((word) => [word, ''])
      : typed.startsWith('-')
        ? options.map(({ long, description }) => [long ?? '', description])
        : command
            .createHelp()
            .visibleCommands(command)
            .map((each) => [each.name(), each.description()])
  const prefix = flag === undefined ? '' : `${flag}=`
  const fitting = found.filter(([word = '']) => word.startsWith(typed))
  return fitting.map(([word, about]) => `${prefix}${word}\t${about}\n`).join('')
}

/* The placeholder of a value says what it is. */
const FILES = /[<[](file|path|document|command|args)[>\].]/

/* Follows the words that name commands. The place is the number of words after them that are neither flags nor their values. */
async function follow(program: Program, words: readonly string[]) {
  let command: Command = program.root
  let place = 0
  let pending: Option | undefined
  for (const word of words) {
    const isValue = pending !== undefined
    pending = isValue
      ? undefined
      : optionsOf(program, command).find((each) => each.required && [each.long, each.short].includes(word))
    if (isValue || word.startsWith('-')) continue
    const next = place === 0 ? command.commands.find((each) => each.name() === word) : undefined
    if (next === undefined) place += 1
    else command = (await program.find([...(next.parent?.parent ? [next.parent.name()] : []), word])) ?? next
  }
  return { command, place, pending }
}

function optionsOf({ root }: Program, command: Command): readonly Option[] {
  return [...root.options, ...command.options]
}
