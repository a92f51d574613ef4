import type { WorldDialect } from './dialect.ts'
import { type ApiKey, type Caller, SCOPES } from './model.ts'
import { Refusal } from './refusal.ts'

/** The token of the one admin session, where a world is not given another. How a real session is established is not specified. */
export const ADMIN_SESSION_TOKEN = 'admin_sandbox_session_4tq8m2x6v0c5h9w3'

/** What a request brought along to say who it is; `null` where it brought nothing of the kind. */
export interface Credentials {
  readonly apiKey: string | null
  readonly sessionToken: string | null
}

/** What a world knows of those who may call. */
interface Known {
  readonly apiKeys: readonly ApiKey[]
  readonly sessionToken: string
  readonly dialect: WorldDialect
}

/** Who is calling. Throws a {@link Refusal} with UNAUTHENTICATED where that cannot be told. */
export function callerOf(credentials: Credentials, { apiKeys, dialect, sessionToken: known }: Known): Caller {
  const { apiKey, sessionToken } = credentials
  const sessionDecides = sessionToken !== null && (apiKey === null || dialect.bothCredentials === 'session')
  if (sessionDecides) {
    if (sessionToken !== known) throw new Refusal('UNAUTHENTICATED', 'This admin session is not known.')
    return { kind: 'session', scopes: dialect.sessionScopes === 'all' ? SCOPES : dialect.sessionScopes }
  }
  if (apiKey === null) {
    throw new Refusal('UNAUTHENTICATED', 'No credentials: send an API key in the x-api-key header.')
  }
  const found = apiKeys.find((candidate) => candidate.key === apiKey)
  if (!found) throw new Refusal('UNAUTHENTICATED', 'This API key is not known.')
  return { kind: 'api-key', scopes: found.scopes }
}
