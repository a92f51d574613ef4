import type { CallbackClock } from './clock.ts'

/** A body in chunks: a Web stream, or an iterable of bytes as of node:http. */
export type BodyChunks =
  | ((AsyncIterable<Uint8Array> | { getReader(): BodyReader }) & { readonly locked?: boolean | undefined })
  | null

interface BodyReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>
  cancel(): Promise<void>
}

export interface BodyLimits {
  readonly maxBytes: number
  readonly timeoutMs: number
}

/** The status of the response to a body that was not read: too large, too slow, or cut off. */
export type UnreadStatus = 413 | 408 | 400

/** Reads a body whole, and never more of it than the limit. */
export async function readBody(
  body: BodyChunks,
  { maxBytes, timeoutMs }: BodyLimits,
  clock: CallbackClock,
): Promise<Uint8Array | UnreadStatus> {
  if (body === null) return new Uint8Array()
  const reader = readerOf(body)
  const chunks: Uint8Array[] = []
  let length = 0
  let stopTimer: (() => void) | undefined
  const late = new Promise<'late'>((resolve) => {
    stopTimer = clock.startTimer(timeoutMs, () => resolve('late'))
  })
  try {
    for (;;) {
      const chunk = await Promise.race([reader.read(), late])
      if (chunk === 'late') return 408
      if (chunk.done || chunk.value === undefined) return joined(chunks, length)
      length += chunk.value.length
      if (length > maxBytes) return 413
      chunks.push(chunk.value)
    }
  } catch {
    return 400
  } finally {
    stopTimer?.()
    /* Not awaited: it may wait for the sender. */
    void reader.cancel().catch(() => {})
  }
}

function readerOf(body: Exclude<BodyChunks, null>): BodyReader {
  if ('getReader' in body) return body.getReader()
  const chunks = body[Symbol.asyncIterator]()
  return {
    read: async () => {
      const { done = false, value } = await chunks.next()
      return { done, value: done ? undefined : (value as Uint8Array) }
    },
    cancel: async () => void (await chunks.return?.()),
  }
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    whole.set(chunk, offset)
    offset += chunk.length
  }
  return whole
}
