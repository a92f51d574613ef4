import type { CertifyClient } from '../client.ts'
import { optionsInvalid } from '../errors.ts'
import { internalsOfClient, type RecordedClient } from '../internals.ts'
import { API_PATH, isLoopback } from '../util/url.ts'
import { ledgerUnusable } from './rules/errors.ts'
import { scopeKey } from './rules/key.ts'
import type { LedgerScope } from './rules/model.ts'

/**
 * The scope of a client's invites in its ledger, for {@link Ledger.list}.
 *
 * @throws CertifyError CONFIG_INVALID, outcome `not-executed`: the client has no ledger
 */
export async function scopeOf(client: CertifyClient): Promise<LedgerScope> {
  const internals = internalsOfClient(client)
  if (internals?.ledger === undefined) throw optionsInvalid('scopeOf', [{ path: 'client', rule: 'must have a ledger' }])
  return scopeReader(internals.client)()
}

/**
 * Reads the scope of a client's invites. A mock is asked each time which world it serves: it may have been started again.
 *
 * What it returns rejects with LEDGER_UNUSABLE, outcome `not-executed`, if a server on this machine accepts connections but
 * does not respond.
 */
export function scopeReader({ account, endpoint, fetch }: RecordedClient): () => Promise<LedgerScope> {
  /* Whether something other than a mock has responded. A refused connection is no response. */
  let isReal = false
  return async () => {
    const world = isReal ? '' : await mockWorldAt(endpoint, fetch)
    isReal = world === ''
    return scopeKey({ baseUrl: endpoint, account, world: world ?? '' })
  }
}

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
  for (let asked = 1; ; asked += 1) {
    try {
      const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) })
      const body: unknown = response.ok ? await response.json().catch(() => undefined) : undefined
      const { worldId } = Object(body) as { readonly worldId?: unknown }
      return typeof worldId === 'string' ? worldId : ''
    } catch (error) {
      const { name, cause } = error as Error
      if (name === 'TimeoutError') {
        const what = `${url} does not respond, so it is not known whether it is a mock`
        throw ledgerUnusable(what, 'Try again later.')
      }
      const isRefused = (cause as { readonly code?: unknown } | undefined)?.code === 'ECONNREFUSED'
      /* A kept connection may have belonged to a mock that has ended. */
      if (isRefused || asked === MAX_ASKED) return undefined
    }
  }
}

const MAX_ASKED = 3
const TIMEOUT_MS = 10_000
