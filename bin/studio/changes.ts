import type { ServerResponse } from 'node:http'
import type { Studio } from './studio.ts'
import { scopeOf } from './words.ts'

/* Other programs write to the ledger, and it tells nobody. */
const BETWEEN_MS = 2_000
const MOST_UNKNOWN = 100

/** Server-sent events, as the pages of the kit expect them: one whenever the ledger has changed. */
export function streamChanges(studio: Studio, response: ServerResponse, closing: AbortSignal): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write('retry: 1000\n\n')
  let last: string | undefined
  let timer: NodeJS.Timeout | undefined
  const look = async () => {
    const now = await stateOf(studio).catch(() => last)
    if (last !== undefined && now !== last) response.write('event: change\ndata: {"parts":["ledger"]}\n\n')
    last = now
    if (!response.closed && !closing.aborted) timer = setTimeout(() => void look(), BETWEEN_MS)
  }
  response.on('close', () => clearTimeout(timer))
  void look()
}

/* What an index finds at once: the newest record, the unknown ones, and the next event. */
async function stateOf({ ledger, account }: Studio): Promise<string> {
  const references: (string | number | undefined)[] = [await ledger.inbox.nextDueAt()]
  for await (const { reference } of ledger.list({ ...scopeOf(account), limit: 1 })) references.push(reference)
  const unknown = { ...scopeOf(account), state: 'unknown', limit: MOST_UNKNOWN } as const
  for await (const { reference } of ledger.list(unknown)) references.push(reference)
  return JSON.stringify(references)
}
