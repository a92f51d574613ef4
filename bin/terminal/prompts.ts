import { CliError, exitCodeOfSignal } from '../cli-error.ts'
import type { Preferences } from '../config/settings.ts'
import type { Io } from '../io.ts'
import type { Output, Terminal } from './output.ts'
import { printable } from './text.ts'

export function createPrompts(io: Io, { noInput }: Preferences) {
  const possible = io.stdin.isTTY && io.stderr.isTTY && !noInput
  const ask = async (text: string, hidden: boolean, ended: () => CliError) => {
    const answer = await io.ask({ text: printable(text), hidden })
    if (answer !== undefined) return answer.trim()
    throw io.interruption.aborted ? interrupted(io) : ended()
  }
  return {
    /** Whether stdin and stderr are a terminal, and --no-input is not set. */
    possible,
    /** @throws CliError with the hint `instead` if no question is possible */
    async answer(what: string, instead: string, hidden = false) {
      if (possible) return ask(`${what}: `, hidden, () => unanswered(instead))
      throw inputNeeded(`${what} is needed, and no question is possible.`, instead)
    },
    /**
     * @param unasked the error's sentence if no question is possible. Default: the question, which must then have no
     *   personal data
     * @throws CliError unless the answer is yes
     */
    async confirm(question: string, instead: string, unasked: string = question) {
      if (!possible) throw inputNeeded(`${unasked} No question is possible: ${NOTHING_DONE}`, instead)
      const answer = await ask(`${question} [y/N] `, false, cancelled)
      if (!/^y(es)?$/i.test(answer)) throw cancelled()
    },
  }
}

function inputNeeded(message: string, hint: string): CliError {
  return new CliError(message, hint, { code: 'INPUT_NEEDED' })
}

const NOTHING_DONE = 'nothing was sent and nothing was changed.'

/** The error of a command that was interrupted before it did anything. */
export function interrupted({ interruption }: Pick<Io, 'interruption'>): CliError {
  const facts = { code: 'ABORTED', exitCode: exitCodeOfSignal(interruption) }
  return new CliError(`interrupted: ${NOTHING_DONE}`, 'Run it again when you are ready.', facts)
}

/* The person pressed Ctrl-D. */
function unanswered(instead: string): CliError {
  const message = `the input ended without an answer: ${NOTHING_DONE}`
  return new CliError(message, instead, { code: 'CANCELLED' })
}

function cancelled(): CliError {
  const hint = 'Run the command again, and answer y.'
  return new CliError(`not confirmed: ${NOTHING_DONE}`, hint, { code: 'CANCELLED' })
}

/** Shows a plan, unless only a program reads the output, and says whether a person must confirm it. */
export async function showPlan(
  { preferences, output }: { readonly preferences: Preferences; readonly output: Output },
  hasWork: boolean,
  draw: (terminal: Terminal) => string,
): Promise<boolean> {
  const asks = hasWork && !preferences.yes && !preferences.dryRun
  if (asks || !(preferences.json || preferences.quiet)) await output.show(draw)
  return asks
}
