import { type Ask, CliError } from '../cli-error.ts'

/**
 * The error of an unreadable file. Its message never has the file's content.
 *
 * @param choices the options that mend it, for a question
 */
export function fileError(message: string, hint: string, choices: Ask['choices'] = []): CliError {
  const ask = choices.length > 0 ? { text: message, choices } : undefined
  return new CliError(`${message} Nothing was sent.`, hint, { code: 'FILE_INVALID', ask })
}
