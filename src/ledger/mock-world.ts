import { API_PATH, isLoopback } from '../util/url.ts'
import { ledgerUnusable } from './rules/errors.ts'

/**
 * The identifier of a mock's world; empty if there is no mock. With it, invites of an earlier world do not count as
 * open. Only URLs on this machine are requested.
 *
 * @throws CertifyError LEDGER_UNUSABLE, outcome `not-executed`, if it does not respond: a mock's invites could be
 *   recorded as a real service's
 */
export async function mockWorldAt(endpoint: string): Promise<string> {
  if (!isLoopback(new URL(endpoint))) return ''
  /* No keep-alive: the connection could later belong to a mock that has ended. */
  const headers = { connection: 'close' }
  const url = endpoint.replace(API_PATH, '/__mock/world')
  const response = await fetch(url, { headers, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(
    (error: unknown) => {
      if ((error as Error).name !== 'TimeoutError') return undefined
      throw ledgerUnusable(`${url} does not respond, so it is not known whether it is a mock`, 'Try again later.')
    },
  )
  const body: unknown = response?.ok === true ? await response.json().catch(() => undefined) : undefined
  const { worldId } = (body ?? {}) as { readonly worldId?: unknown }
  return typeof worldId === 'string' ? worldId : ''
}

const TIMEOUT_MS = 10_000
