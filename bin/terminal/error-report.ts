import type { CertifyError } from '../../src/index.ts'
import type { CliError } from '../cli-error.ts'
import { wrapFor } from '../help/wrap.ts'
import type { Io } from '../io.ts'
import { wordError } from './error-wording.ts'
import { colorsFor, type OutputStyle, say } from './output.ts'
import { escapeControls, printable } from './printable.ts'

/** Reports a failure on stderr: what happened and how to fix it, or one JSON object with the same. */
export function report(
  io: Io,
  { json, color }: OutputStyle,
  error: CertifyError | CliError,
  { exitCode, profileFlag }: { readonly exitCode: number; readonly profileFlag: string },
): Promise<void> {
  const words = 'outcome' in error ? wordError(error, profileFlag) : error
  const text = json
    ? escapeControls(JSON.stringify({ error: { ...asJson(error, words), exitCode } }))
    : asText(io, color, error, words)
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

function asText(
  { stderr, env }: Io,
  color: OutputStyle['color'],
  error: CertifyError | CliError,
  { message, hint }: Words,
): string {
  const colors = colorsFor(stderr, env, color)
  const labelled = (label: string, text: string) => `${wrapFor(`${label} ${printable(text)}`, stderr)}\n`
  const line = (label: string, text: string) => labelled(colors.bold(label), text)
  const lines = [labelled(colors.red('error:'), message)]
  if ('lines' in error) lines.push(...error.lines.map((each) => labelled(' ', each)))
  if ('outcome' in error) {
    const words = error.apiMessages.filter((each) => each !== '')
    lines.push(...words.map((each) => line('the service says:', each)))
  }
  if (error.partial !== undefined) lines.push(line('what came (save it):', JSON.stringify(error.partial)))
  lines.push(line('hint:', hint))
  if ('outcome' in error && error.outcome !== 'not-executed') lines.push(line('reference:', error.reference ?? 'none'))
  return lines.join('')
}
