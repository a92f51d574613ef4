import { systemCode } from './cli-error.ts'
import type { Io } from './io.ts'

/** Reads a text file. @throws what `failure` makes of the reason why it cannot be read */
export function readTextFile(
  { readFile }: Pick<Io, 'readFile'>,
  path: string,
  failure: (reason: string) => Error,
): string {
  try {
    return readFile(path)
  } catch (error) {
    throw failure(`cannot be read (${systemCode(error)})`)
  }
}

/** Reads a file with one secret in it. @throws what `failure` makes of the reason why there is none */
export function readSecretFile(io: Pick<Io, 'readFile'>, path: string, failure: (reason: string) => Error): string {
  const secret = readTextFile(io, path, failure).trim()
  if (secret === '') throw failure('is empty')
  return secret
}
