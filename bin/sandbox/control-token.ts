import { CliError, systemCode } from '../cli-error.ts'
import type { Io } from '../io.ts'
import type { MockFlags } from './flags.ts'

/** The variable that the token of the page and the control API is taken from. */
export const TOKEN_VARIABLE = 'CERTIFY_CONTROL_TOKEN'

/**
 * The token that the page and the control API ask for: from a file or from the environment, for a process list shows the
 * command line to everybody. @throws CliError
 */
export function readControlToken(
  { env, readFile }: Pick<Io, 'env' | 'readFile'>,
  flags: MockFlags,
): string | undefined {
  const { controlTokenFile: path } = flags
  if (path === undefined) return env[TOKEN_VARIABLE]?.trim() || undefined
  const token = textOf(readFile, path).trim()
  if (token !== '') return token
  throw unusable('is empty')
}

function textOf(readFile: Io['readFile'], path: string): string {
  try {
    return readFile(path)
  } catch (error) {
    throw unusable(`cannot be read (${systemCode(error)})`)
  }
}

function unusable(what: string): CliError {
  return new CliError(
    `the file of --control-token-file ${what}.`,
    `Check its path, its permissions and what is in it; or set ${TOKEN_VARIABLE}.`,
  )
}
