import { CliError } from '../cli-error.ts'
import type { Preferences } from '../config/settings.ts'
import type { Io } from '../io.ts'
import { printable } from './printable.ts'

/** What can be asked of whoever is at the terminal. */
export interface Prompts {
  /** Whether anybody can be asked: a terminal on stdin and stderr, and no --no-input. */
  readonly possible: boolean
  /** @throws CliError where nobody can be asked; `instead` says what to do then */
  answer(what: string, instead: string, hidden?: boolean): Promise<string>
  /** Ends the command unless the answer is yes. @throws CliError where nobody can be asked; `instead` says what to do */
  confirm(question: string, instead: string): Promise<void>
}

/** The one place that asks: without a terminal nothing does. */
export function createPrompts(io: Io, { noInput }: Preferences): Prompts {
  const possible = io.stdin.isTTY && io.stderr.isTTY && !noInput.value
  const ask = async (text: string, hidden: boolean) => {
    const answer = await io.ask({ text: printable(text), hidden })
    if (answer !== undefined) return answer.trim()
    throw io.interruption.aborted ? interrupted(io) : cancelled()
  }
  return {
    possible,
    async answer(what, instead, hidden = false) {
      if (possible) return ask(`${what}: `, hidden)
      throw needed(`${what} is needed, and nobody can be asked.`, instead)
    },
    async confirm(question, instead) {
      if (!possible) throw needed(`${question} Nobody can be asked: nothing was sent and nothing was changed.`, instead)
      const answer = await ask(`${question} [y/N] `, false)
      if (!/^y(es)?$/i.test(answer)) throw cancelled()
    },
  }
}

function needed(message: string, hint: string): CliError {
  return new CliError(message, hint, { code: 'INPUT_NEEDED' })
}

/** What a command says that was asked to stop before it did anything. */
export function interrupted({ interruption }: Pick<Io, 'interruption'>): CliError {
  return new CliError('interrupted: nothing was sent and nothing was changed.', 'Run it again when you are ready.', {
    code: 'ABORTED',
    exitCode: interruption.reason === 'SIGTERM' ? 143 : 130,
  })
}

function cancelled(): CliError {
  return new CliError(
    'not confirmed: nothing was sent and nothing was changed.',
    'Run the command again and answer y, or give --yes.',
    { code: 'CANCELLED' },
  )
}
