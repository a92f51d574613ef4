import { isLoopback } from '../endpoint.ts'
import { ledgerUnusable } from './rules/errors.ts'
import { baseUrlKey } from './rules/key.ts'

/**
 * Returns the identifier of a mock's world; an empty string if there is no mock. With it, invites of an earlier world
 * do not count as open. Requests only URLs of this machine.
 *
 * @throws CertifyError LEDGER_UNUSABLE, outcome `not-executed`: something accepts connections there and does not respond. If it
 *   is a mock, its invites would be recorded in another place than before
 * @example
 * ```ts
 * const guarded = withLedger(client, ledger, { account: 'test', world: await mockWorldAt('http://127.0.0.1:4010') })
 * ```
 */
export async function mockWorldAt(baseUrl: string): Promise<string> {
  const base = baseUrlKey(baseUrl)
  if (!URL.canParse(base) || !isLoopback(new URL(base))) return ''
  const body = await worldAt(base).catch((error: unknown) => {
    if (isSilent(error)) throw noAnswer(base)
    return undefined
  })
  return typeof body?.worldId === 'string' ? body.worldId : ''
}

/* A connection that was kept may belong to a mock that has ended: it is tried once more. */
async function worldAt(base: string): Promise<{ readonly worldId?: unknown } | undefined> {
  const ask = () =>
    fetch(`${base}/__mock/world`, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) }).then(
      async (response) => (response.ok ? ((await response.json()) as { readonly worldId?: unknown }) : undefined),
    )
  return ask().catch((error: unknown) => {
    if (isLost(error)) return ask()
    throw error
  })
}

const TIMEOUT_MS = 10_000

/* A mock that is busy, or that ended just now. Whatever responds otherwise, or refuses connections, is none. */
function isSilent(error: unknown): boolean {
  return isLost(error) || (error as Error).name === 'TimeoutError'
}

function isLost(error: unknown): boolean {
  const { cause } = error as { readonly cause?: { readonly code?: string } }
  return ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(cause?.code ?? '')
}

function noAnswer(base: string) {
  return ledgerUnusable(
    `${base} does not respond, so it is not known whether it is a mock, and which world it has`,
    'Nothing was sent. Try again when it responds.',
  )
}
