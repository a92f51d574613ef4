import type { ApiKeyOptions } from '../../src/index.ts'
import type { Io } from '../io.ts'
import { UsageError } from '../usage-error.ts'

/** Where the service is and how to prove who you are: flag before environment. */
export function readConnection(io: Io, flags: { readonly baseUrl?: string | undefined }): ApiKeyOptions {
  const baseUrl = flags.baseUrl ?? given(io, 'CERTIFY_BASE_URL')
  if (baseUrl === undefined) {
    throw new UsageError({
      code: 'CONFIG_INVALID',
      message: 'no base URL: the service to talk to is not known.',
      hint: 'Set CERTIFY_BASE_URL or give --base-url. To try things out, start `certify mock` and use what it prints.',
    })
  }
  return { baseUrl, apiKey: readKey(io), fetch: io.fetch }
}

function readKey(io: Io): string {
  const file = given(io, 'CERTIFY_API_KEY_FILE')
  const key = given(io, 'CERTIFY_API_KEY') ?? (file === undefined ? '' : readKeyFile(io, file))
  if (key !== '') return key
  throw new UsageError({
    code: 'CONFIG_INVALID',
    message: 'no API key.',
    hint: 'Set CERTIFY_API_KEY, or CERTIFY_API_KEY_FILE to the path of a file that holds the key.',
    exitCode: 4,
  })
}

function readKeyFile(io: Io, path: string): string {
  try {
    return io.readFile(path).trim()
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
    throw new UsageError({
      code: 'CONFIG_INVALID',
      message: `the file that CERTIFY_API_KEY_FILE names cannot be read${reason}.`,
      hint: 'Check its path and its permissions.',
      exitCode: 4,
    })
  }
}

/* An empty variable is as good as none: that is how scripts unset one. */
function given({ env }: Io, name: string): string | undefined {
  return env[name]?.trim() === '' ? undefined : env[name]
}
