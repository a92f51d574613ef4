import { UsageError } from '../usage-error.ts'

/** A file that cannot be read as it is. Nothing of what stands in it is repeated. */
export function fileError(message: string, hint: string): UsageError {
  return new UsageError({ code: 'FILE_INVALID', message: `${message} Nothing was sent.`, hint })
}
