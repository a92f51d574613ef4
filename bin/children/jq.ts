import { CliError } from '../cli-error.ts'
import { exitCodeOfSignal } from '../exit-codes.ts'
import type { Io } from '../io.ts'

type JqIo = Pick<Io, 'env' | 'pipe' | 'interruption'>

/** @throws CliError if there is no jq, or if it does not accept the filter */
export async function checkFilter(io: JqIo, filter: string): Promise<void> {
  /* Without an input jq only compiles the filter. */
  const { exitCode, errors } = await runJq(io, filter, [], '')
  if (exitCode === 0) return
  if (exitCode !== COMPILE_ERROR) {
    throw new CliError(`--jq needs the program jq, which ended with ${exitCode} at once.`, NO_JQ, {
      code: 'COMMAND_NOT_RUN',
    })
  }
  const [reason = ''] = errors.replace(/^jq: error: /, '').split('\n')
  throw new CliError(
    `jq does not accept the filter of --jq: ${reason.trimEnd().replace(/:?$/, '.')}`,
    'Correct the filter. Nothing was sent.',
  )
}

/**
 * What the filter makes of a JSON document: a line for each result; texts without quotes.
 *
 * @throws Error without the message of jq, which may have data of the document; CliError if it was interrupted
 */
export async function applyFilter(io: JqIo, filter: string, document: string, isIndented: boolean): Promise<string> {
  const { exitCode, output } = await runJq(io, filter, isIndented ? [] : ['--compact-output'], document)
  if (exitCode === 0) return output
  throw new Error(`the filter of --jq failed on the output (jq ended with ${exitCode}).`)
}

async function runJq(io: JqIo, filter: string, args: readonly string[], input: string) {
  /* A filter can read the environment, and has no use for the key. */
  const env = Object.fromEntries(Object.entries(io.env).filter(([name]) => !name.startsWith('CERTIFY_')))
  /* jq would read a word that begins with a dash as a flag. */
  const words = ['--raw-output', '--monochrome-output', ...args, filter.replace(/^-/, ' -')]
  const ended = await io.pipe({ program: 'jq', args: words, env }, input)
  if (!('failure' in ended) && ended.exitCode === 0) return ended
  if (io.interruption.aborted) {
    const facts = { code: 'ABORTED', exitCode: exitCodeOfSignal(io.interruption) }
    throw new CliError('interrupted while jq was running.', 'Run the command again.', facts)
  }
  if (!('failure' in ended)) return ended
  throw new CliError(`--jq needs the program jq, which could not be started (${ended.failure}).`, NO_JQ, {
    code: 'COMMAND_NOT_RUN',
  })
}

const NO_JQ = 'Install jq, or give --json in place of --jq.'
const COMPILE_ERROR = 3
