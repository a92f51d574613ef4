import { CliError } from '../cli-error.ts'

/** The error of an unreadable file. Its message never has the file's content. */
export function fileError(message: string, hint: string): CliError {
  return new CliError(`${message} Nothing was sent.`, hint, { code: 'FILE_INVALID' })
}
