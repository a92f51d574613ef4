import type { Io } from '../io.ts'
import { readService } from './connection.ts'
import { type Flags, type Setting, UNSET } from './settings.ts'

/** The variables of the commands that make or receive callback URLs. */
export const CALLBACK_VARIABLES = {
  baseUrl: 'CERTIFY_CALLBACK_BASE_URL',
  secret: 'CERTIFY_CALLBACK_SECRET',
  secretFile: 'CERTIFY_CALLBACK_SECRET_FILE',
} as const

/** The address of the receiver: the flag overrides the environment, the environment the profile. @throws CliError */
export function readCallbackBaseUrl(io: Io, root: Flags, flag?: string): Setting<string | undefined> {
  if (flag) return { value: flag, origin: '--callback-base-url' }
  const variable = io.env[CALLBACK_VARIABLES.baseUrl]?.trim()
  if (variable) return { value: variable, origin: CALLBACK_VARIABLES.baseUrl }
  const { profile, stored } = readService(io, root)
  const value = stored.callbackBaseUrl?.trim()
  return value ? { value, origin: `profile ${profile.value}` } : UNSET
}
