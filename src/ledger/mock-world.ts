const LOOPBACK = /^(localhost|[^.]+\.localhost|127(\.\d+){3}|\[::1\])$/

/**
 * Asks a mock of the service which world it is, so that what an earlier one created is not taken for open. Only addresses
 * of this machine are asked; the empty text where there is no mock.
 *
 * @example
 * ```ts
 * const guarded = withLedger(client, ledger, { account: 'test', world: await mockWorldAt('http://127.0.0.1:4010') })
 * ```
 */
export async function mockWorldAt(baseUrl: string): Promise<string> {
  if (!URL.canParse(baseUrl) || !LOOPBACK.test(new URL(baseUrl).hostname)) return ''
  try {
    const url = `${baseUrl.replace(/\/+$/, '')}/__mock/world`
    const answer = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(ANSWER_MS) })
    const { worldId } = (await answer.json()) as { worldId?: unknown }
    return answer.ok && typeof worldId === 'string' ? worldId : ''
  } catch {
    return ''
  }
}

const ANSWER_MS = 2000
