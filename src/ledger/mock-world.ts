import { API_PATH, isLoopback } from '../util/url.ts'
import { ledgerUnusable } from './rules/errors.ts'

/**
 * The identifier of a mock's world, or an empty text if something else responds; `undefined` if nothing does. With it,
 * invites of an earlier world do not count as open. The `fetch` of a mock has it; otherwise only addresses of this machine
 * are asked.
 *
 * @param fetch the caller's own
 * @throws CertifyError LEDGER_UNUSABLE, outcome `not-executed`, if the connection is accepted, but no response comes: a mock's
 *   invites could be recorded as a real service's
 */
export async function mockWorldAt(endpoint: string, fetch?: unknown): Promise<string | undefined> {
  const { worldId } = Object(fetch) as { readonly worldId?: unknown }
  if (typeof worldId === 'string') return worldId
  return isLoopback(new URL(endpoint)) ? worldAt(endpoint.replace(API_PATH, '/__mock/world')) : ''
}

async function worldAt(url: string): Promise<string | undefined> {
  /* No keep-alive: the connection could later belong to a mock that has ended. */
  const headers = { connection: 'close' }
  const response = await fetch(url, { headers, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(
    (error: unknown) => {
      if ((error as Error).name !== 'TimeoutError') return undefined
      throw ledgerUnusable(`${url} does not respond, so it is not known whether it is a mock`, 'Try again later.')
    },
  )
  if (response === undefined) return undefined
  const body: unknown = response.ok ? await response.json().catch(() => undefined) : undefined
  const { worldId } = Object(body) as { readonly worldId?: unknown }
  return typeof worldId === 'string' ? worldId : ''
}

const TIMEOUT_MS = 10_000
