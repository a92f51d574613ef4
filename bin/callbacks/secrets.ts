import { configError } from '../cli-error.ts'
import { readService, storeOf } from '../config/connection.ts'
import type { Context } from '../context.ts'
import { readSecretFile } from '../files.ts'
import type { Io } from '../io.ts'

/** The secrets of the callback URLs, newest first. */
export interface CallbackSecrets {
  readonly values: readonly string[]
  /** A variable, or the profile and the file. */
  readonly origin: string
}

const VARIABLE = 'CERTIFY_CALLBACK_SECRET'
const SHORTEST = 32

/**
 * Reads the secrets from the environment, else from the profile. A profile without a secret gets one.
 *
 * @param keeps whether a new secret is kept. A dry run changes nothing
 * @throws CliError
 */
export async function readSecrets({ io, program }: Context, keeps = true): Promise<CallbackSecrets> {
  const given = fromEnvironment(io)
  if (given !== undefined) return checked(given)
  const { value: profile = 'default' } = readService(io, program.root).profile
  const store = storeOf(io)
  const kept = store.callbackSecrets(profile)
  const origin = `profile ${profile}, in ${store.callbackSecretsPath}`
  if (kept.length > 0) return checked({ values: kept, origin })
  const made = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')
  if (keeps) store.keepCallbackSecret(profile, made)
  return { values: [made], origin }
}

function fromEnvironment(io: Io): CallbackSecrets | undefined {
  const text = io.env[VARIABLE]
  if (text?.trim()) return { values: linesOf(text), origin: VARIABLE }
  const origin = `${VARIABLE}_FILE`
  const path = io.env[origin]?.trim()
  if (!path) return undefined
  const content = readSecretFile(io, path, (reason) =>
    configError(`the file of ${origin} ${reason}.`, 'Check its path, its permissions and its content.'),
  )
  return { values: linesOf(content), origin }
}

/* One per line, newest first: an old one still verifies what it has signed. */
function linesOf(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => line.trim() || [])
}

function checked({ values, origin }: CallbackSecrets): CallbackSecrets {
  if (values.every((secret) => secret.length >= SHORTEST)) return { values, origin }
  throw configError(
    `a callback secret of ${origin} is shorter than ${SHORTEST} characters.`,
    'Make one with a command such as openssl rand -hex 32. Write several as one per line, newest first.',
  )
}
