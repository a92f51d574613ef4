import type { CertifyError } from '../../src/index.ts'
import type { CliError } from '../cli-error.ts'
import type { Io } from '../io.ts'
import { type HintFacts, wordError } from './error-wording.ts'
import { say, styling } from './output.ts'
import { escapeControls, printable } from './printable.ts'
import { wrapFor } from './wrap.ts'

interface ReportFacts extends HintFacts {
  readonly exitCode: number
  /** Further facts, such as that the ledger could not record it. */
  readonly notes: readonly string[]
}

/** Reports a failure on stderr: what happened and how to fix it, or one JSON object with the same. */
export function report(
  io: Io,
  json: boolean,
  error: CertifyError | CliError,
  { exitCode, notes, ...facts }: ReportFacts,
): Promise<void> {
  const { message, hint } = 'outcome' in error ? wordError(error, facts) : error
  const words = { message: [message, ...notes].join(' '), hint }
  const text = json
    ? escapeControls(JSON.stringify({ error: { ...asJson(error, words), exitCode } }))
    : asText(io, error, words)
  return say(io.stderr, `${text.trimEnd()}\n`)
}

type Words = ReturnType<typeof wordError>

function asJson(error: CertifyError | CliError, { message, hint }: Words): Record<string, unknown> {
  const { partial } = error
  const saved = partial === undefined ? {} : { partial }
  if (!('outcome' in error)) {
    const { code, details } = error
    return { code, message, hint, ...details, ...saved }
  }
  const { apiMessages } = error
  return { ...error.toJSON(), message, hint, ...(apiMessages.length > 0 && { apiMessages }), ...saved }
}

function asText({ stderr, env }: Io, error: CertifyError | CliError, { message, hint }: Words): string {
  const styled = styling(stderr, env)
  const labelled = (label: string, text: string) => `${wrapFor(`${label} ${printable(text)}`, stderr)}\n`
  const line = (label: string, text: string) => labelled(styled('bold', label), text)
  const lines = [labelled(styled('red', 'error:'), message)]
  if ('lines' in error) lines.push(...error.lines.map((each) => labelled(' ', each)))
  if ('outcome' in error) {
    const words = error.apiMessages.filter((each) => each !== '')
    lines.push(...words.map((each) => line('the service says:', each)))
  }
  if (error.partial !== undefined) lines.push(line('the response (save it):', JSON.stringify(error.partial)))
  lines.push(line('hint:', hint))
  if ('outcome' in error && error.outcome !== 'not-executed') lines.push(line('reference:', error.reference ?? 'none'))
  return lines.join('')
}
