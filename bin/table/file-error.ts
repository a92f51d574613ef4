import { CliError } from '../cli-error.ts'

/** The error of an unreadable file. Its message never has the file's content. */
export function fileError(message: string, hint: string): CliError {
  return new CliError(`${message} Nothing was sent.`, hint, { code: 'FILE_INVALID' })
}

/** The maximum length of a row, in characters. */
export const LONGEST_ROW: number = 2 ** 20

/** @param which as in `row at line 3` */
export function rowTooLong(which: string, hint: string): CliError {
  return fileError(`the ${which} is longer than 1 MiB.`, hint)
}
