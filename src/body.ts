/** Reads a body in chunks. */
export interface ChunkReader {
  read(): Promise<{ readonly done?: boolean | undefined; readonly value?: Uint8Array | undefined }>
  cancel(): Promise<unknown>
}

/** A reader of a Web stream, or of an iterable of bytes. */
export function readerOf(body: unknown): ChunkReader {
  const source = (body ?? []) as { getReader(): ChunkReader } | AsyncIterable<Uint8Array> | Iterable<Uint8Array>
  if ('getReader' in source) return source.getReader()
  const chunks = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]()
  return {
    read: async () => chunks.next() as Promise<IteratorResult<Uint8Array, undefined>>,
    cancel: async () => chunks.return?.(),
  }
}

/** Reads an entire body. @throws RangeError if it has more than `maxBytes`, or what the reader throws */
export async function readWhole(reader: ChunkReader, maxBytes: number, onChunk = () => {}): Promise<Uint8Array> {
  /* Copied: a chunk may be a small view of a large buffer, which would stay in memory (on Deno, 64 kB per 4 kB). */
  let bytes = new Uint8Array(0)
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done === true || value === undefined) return bytes.subarray(0, size)
    onChunk()
    const from = size
    size += value.byteLength
    if (size > maxBytes) throw new RangeError('too large')
    if (size > bytes.byteLength) {
      const larger = new Uint8Array(Math.max(size, 2 * from))
      larger.set(bytes)
      bytes = larger
    }
    bytes.set(value, from)
  }
}
