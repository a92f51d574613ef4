import { CliError } from '../../cli-error.ts'

/** A file that cannot be read as it is. Nothing of what stands in it is repeated. */
export function fileError(message: string, hint: string): CliError {
  return new CliError(`${message} Nothing was sent.`, hint, { code: 'FILE_INVALID' })
}
