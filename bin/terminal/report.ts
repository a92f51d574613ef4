import type { CertifyError } from '../../src/index.ts'
import type { ExitCode } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import type { UsageError } from '../usage-error.ts'
import { paint } from './output.ts'
import { printable } from './text.ts'

/** Tells a failure on stderr: what happened and how to mend it, or one JSON object with the same. */
export function report(io: Io, json: boolean, error: CertifyError | UsageError, exitCode: ExitCode): void {
  io.stderr.write(json ? `${JSON.stringify({ error: { ...asJson(error), exitCode } })}\n` : asText(io, error))
}

function asJson(error: CertifyError | UsageError): Record<string, unknown> {
  const { code, message, hint } = error
  if (!('outcome' in error)) return { code, message, hint }
  return {
    ...error.toJSON(),
    ...(error.apiMessages.length > 0 && { apiMessages: error.apiMessages }),
    ...(error.partial !== undefined && { partial: error.partial }),
  }
}

function asText({ stderr, env }: Io, error: CertifyError | UsageError): string {
  const colors = paint(stderr, env)
  const line = (label: string, text: string) => `${colors.bold(label)} ${printable(text)}\n`
  const lines = [`${colors.red('error:')} ${printable(error.message)}\n`]
  if ('outcome' in error) {
    lines.push(...error.apiMessages.filter((words) => words !== '').map((words) => line('the service says:', words)))
    lines.push(...error.possibleReasons.map((reason) => line('possible reason:', reason)))
    if (error.partial !== undefined) lines.push(line('what came (save it):', JSON.stringify(error.partial)))
  }
  if (error.hint !== undefined) lines.push(line('hint:', error.hint))
  if ('outcome' in error && error.outcome !== 'not-executed') lines.push(line('reference:', error.reference ?? 'none'))
  return lines.join('')
}
