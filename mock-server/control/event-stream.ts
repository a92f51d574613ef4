import { MAX_STREAMS } from '../contract/limits.ts'
import type { Changes } from '../sandbox/changes.ts'
import { refuse } from './control-errors.ts'
import { realClearTimeout, realSetTimeout } from '../sandbox/unpatched-globals.ts'

/**
 * Server-sent events that name the parts of a subject that have changed: at once, then at most every 200 ms. A lost
 * connection loses nothing: a client that reconnects reads everything again. The stream ends with its subject.
 */
export function eventStream<Part extends string>(changes: Changes<Part>, signal: AbortSignal): Response {
  if (changes.streams >= MAX_STREAMS) refuse('TOO_MANY_STREAMS', `${MAX_STREAMS} streams of events are open.`)
  const changed = new Set<Part>()
  let timer: ReturnType<typeof realSetTimeout> | undefined
  let stop: (() => void) | undefined
  const end = (): void => {
    realClearTimeout(timer)
    if (!stop) return
    stop()
    stop = undefined
    changes.streams -= 1
  }
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        changes.streams += 1
        const unsubscribe = changes.subscribe((parts) => {
          for (const part of parts) changed.add(part)
          if (timer === undefined) send(controller)
        })
        const close = (): void => {
          end()
          controller.close()
        }
        const forget = changes.onEnd(close)
        stop = () => {
          unsubscribe()
          forget()
          signal.removeEventListener('abort', close)
        }
        signal.addEventListener('abort', close, { once: true })
        if (signal.aborted) close()
        else controller.enqueue(encoded('retry: 1000\n\n'))
      },
      cancel: end,
    },
    { highWaterMark: 100 },
  )
  const send = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    timer = undefined
    // A client that does not read receives nothing until it does.
    if (changed.size === 0) return
    if ((controller.desiredSize ?? 0) > 0) {
      controller.enqueue(encoded(`event: change\ndata: ${JSON.stringify({ parts: [...changed] })}\n\n`))
      changed.clear()
    }
    timer = realSetTimeout(() => send(controller), BETWEEN_MS)
  }
  return new Response(body, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } })
}

const BETWEEN_MS = 200

function encoded(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
