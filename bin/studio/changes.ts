import type { ServerResponse } from 'node:http'
import type { Studio } from './studio.ts'

/* Other programs write to the ledger, and it tells nobody. */
const BETWEEN_MS = 2_000

/** Server-sent events, as the pages of the kit expect them: one whenever the ledger has changed. */
export function streamChanges({ ledger }: Studio, response: ServerResponse, closing: AbortSignal): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write('retry: 1000\n\n')
  let last: string | undefined
  let timer: NodeJS.Timeout | undefined
  const look = async () => {
    const now = await ledger.revision().catch(() => last)
    if (last !== undefined && now !== last) response.write('event: change\ndata: {"parts":["ledger"]}\n\n')
    last = now
    if (!response.closed && !closing.aborted) timer = setTimeout(() => void look(), BETWEEN_MS)
  }
  response.on('close', () => clearTimeout(timer))
  void look()
}
