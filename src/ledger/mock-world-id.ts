import { isLoopback } from '../endpoint.ts'
import { baseUrlKey } from './rules/key.ts'

/**
 * Returns the identifier of a mock's world; an empty string if there is no mock. With it, invites of an earlier world
 * do not count as open. Requests only URLs of this machine.
 *
 * @example
 * ```ts
 * const guarded = withLedger(client, ledger, { account: 'test', world: await mockWorldAt('http://127.0.0.1:4010') })
 * ```
 */
export async function mockWorldAt(baseUrl: string): Promise<string> {
  const base = baseUrlKey(baseUrl)
  if (!URL.canParse(base) || !isLoopback(new URL(base))) return ''
  try {
    const response = await fetch(`${base}/__mock/world`, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) })
    const { worldId } = (await response.json()) as { worldId?: unknown }
    return response.ok && typeof worldId === 'string' ? worldId : ''
  } catch {
    return ''
  }
}

const TIMEOUT_MS = 2000
