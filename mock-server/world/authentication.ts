import { type Caller, SCOPES } from './model.ts'
import { Refusal } from './refusal.ts'
import type { World } from './world.ts'

/** The credentials of a request; `null` if it has none of that kind. */
export interface Credentials {
  readonly apiKey: string | null
  readonly sessionToken: string | null
}

/** The caller of a request. Throws a {@link Refusal} with UNAUTHENTICATED if the credentials are missing or unknown. */
export function callerOf({ apiKeys, behaviour, sessionToken: known }: World, credentials: Credentials): Caller {
  const { apiKey, sessionToken } = credentials
  const sessionDecides = sessionToken !== null && (apiKey === null || behaviour.bothCredentials === 'session')
  if (sessionDecides) {
    if (sessionToken !== known) throw new Refusal('UNAUTHENTICATED', 'This admin session is not known.')
    return { kind: 'session', scopes: behaviour.sessionScopes === 'all' ? SCOPES : behaviour.sessionScopes }
  }
  if (apiKey === null) {
    throw new Refusal('UNAUTHENTICATED', 'No credentials: send an API key in the x-api-key header.')
  }
  const found = apiKeys.find((candidate) => candidate.key === apiKey)
  if (!found) throw new Refusal('UNAUTHENTICATED', 'This API key is not known.')
  return { kind: 'api-key', scopes: found.scopes }
}
