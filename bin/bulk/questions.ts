import { statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import { type Ask, type Choice, CliError } from '../cli-error.ts'
import { shellQuoted } from '../config/ledger-place.ts'
import type { Context } from '../context.ts'
import { formatNumber, printable, wrap } from '../terminal/text.ts'
import { type BulkOptions, listTracks } from './plan.ts'
import { runBulk } from './send.ts'

/**
 * Runs bulk. At a terminal, a fault that an option mends is a question: its answer becomes that option, and the file is
 * read again. So a run with questions does what its command does without them.
 *
 * @throws CliError with the exit code of the run, CertifyError
 */
export async function runAsking(context: Context, command: Command, given: string | undefined): Promise<void> {
  const { prompts, preferences } = context
  /* Without a service or a key, no answer helps. */
  if (given === undefined && prompts.possible) await context.client('check')
  const file = given ?? (await askForFile(context))
  const asks = prompts.possible && (given === undefined || !(preferences.yes || preferences.dryRun))
  const isWhole = asks && given === undefined
  const words: string[] = given === undefined ? [file] : []
  const answered = new Set<string>()
  for (;;) {
    const shown = words.length > 0 ? commandWith(context, [...words, ...sendingIn(context)]) : undefined
    const guide = asks ? { isWhole, answered, command: shown } : undefined
    try {
      await runBulk(context, file, { ...command.opts<BulkOptions>(), isGuided: isWhole }, guide)
      return
    } catch (error) {
      const ask = error instanceof CliError && asks ? error.ask : undefined
      if (ask === undefined || answered.has(ask.text)) throw error
      answered.add(ask.text)
      const answer = await choose(context, ask).catch(async (reason: unknown) => {
        if (words.length > 0)
          await context.output.show(() => `\nThe answers so far are this command:\n  ${commandWith(context, words)}\n`)
        throw reason
      })
      command.parseOptions([...answer])
      words.push(...answer)
    }
  }
}

async function askForFile({ prompts, output }: Context): Promise<string> {
  for (;;) {
    const said = await prompts.answer('The file (CSV, Excel or JSON)', 'Give the file, or - for stdin.')
    const path = pathIn(said)
    if (statSync(path, { throwIfNoEntry: false })?.isFile() === true) return path
    await output.warn(`there is no file "${said}".`)
  }
}

/* As a terminal inserts a file that is dropped on it, or as for a shell. */
function pathIn(said: string): string {
  const path = /^(['"]).*\1$/.test(said) ? said.slice(1, -1) : said.replaceAll(/\\([ '"()&])/g, '$1')
  if (path.startsWith('~/')) return join(homedir(), path.slice(2))
  return path.startsWith('-') ? `./${path}` : path
}

const sendingIn = ({ preferences }: Context) => (preferences.yes || preferences.dryRun ? [] : ['--yes'])

/* Words after `--` would be operands. */
function commandWith({ io }: Context, words: readonly string[]): string {
  const end = io.argv.includes('--') ? io.argv.indexOf('--') : io.argv.length
  const all = ['certify', ...io.argv.slice(0, end), ...words, ...io.argv.slice(end)]
  return printable(all.map(shellQuoted).join(' '))
}

/* A short list, or a long one that a part of a title shortens. */
const MAX_SHOWN = 15

async function choose(context: Context, { text, choices }: Ask): Promise<readonly string[]> {
  const { output, prompts } = context
  const all = choices === 'targets' ? await targets(context) : choices
  const numbered = all.map(([label], index) => ({ number: index + 1, label: printable(label) }))
  let shown = numbered
  const question = printable(`${text[0]?.toUpperCase()}${text.slice(1)}`)
  const what = all.length > MAX_SHOWN ? 'Number, or a part of the title' : 'Number'
  const lines = wrap(question).split('\n')
  await output.show((terminal) => `\n${lines.map((line) => terminal.bold(line)).join('\n')}\n`)
  for (;;) {
    const offered = shown.slice(0, MAX_SHOWN).map(({ number, label }) => wrap(`  ${number}  ${label}`, '       '))
    const more = shown.length - offered.length
    if (more > 0) offered.push(`  and ${formatNumber(more)} more: a part of the title finds them`)
    await output.show(() => offered.map((line) => `${line}\n`).join(''))
    const said = await prompts.answer(what, 'Give the options instead: certify help bulk.')
    const chosen = /^\d+$/.test(said) ? all[Number(said) - 1] : undefined
    if (chosen !== undefined) return chosen.slice(1)
    const found = numbered.filter(({ label }) => label.toLowerCase().includes(said.toLowerCase()))
    shown = found.length > 0 ? found : numbered
  }
}

/* As the plan reads them. Without the list, only an id can be given. */
async function targets({ client, io, prompts }: Context): Promise<readonly Choice[]> {
  const listed = await listTracks(await client('read'), io.interruption)
  if (typeof listed === 'string') {
    const id = await prompts.answer('The id of the quiz', 'Give --quiz-id or --package-id.')
    return [[`the quiz ${id}`, '--quiz-id', id]]
  }
  return (['package', 'quiz'] as const).flatMap((kind) =>
    listed.idsOf(kind).map((id): Choice => {
      const { title = '', quizIds } = listed.get(kind, id) ?? {}
      const what = quizIds === undefined ? 'quiz' : `package of ${quizIds.length}`
      return [`${title}: ${what}, ${id}`, kind === 'quiz' ? '--quiz-id' : '--package-id', id]
    }),
  )
}
