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

/**
 * A body without its content encodings; `undefined` if this runtime does not know one of them. A body that already is
 * JSON stays as it is: runtimes, frameworks and proxies decode bodies and keep the header.
 *
 * @param decode removes one encoding
 * @throws RangeError if a decoded body has more than `maxBytes`, or another error if the body is broken
 */
export async function decodeBody(body: Uint8Array, encoding: string | null, maxBytes: number, decode: Decode = byZlib) {
  const codings =
    encoding
      ?.toLowerCase()
      .replaceAll('x-', '')
      .match(/[^\s,]+/g) ?? []
  if (codings.length > MAX_ENCODINGS) return undefined
  let bytes: Uint8Array | undefined = body
  /* The last one was applied last. */
  for (const coding of codings.toReversed()) {
    if (!bytes?.length || coding === 'identity' || isJson(new TextDecoder().decode(bytes))) continue
    /* Some senders leave out the header that makes raw data the coding `deflate`. */
    const isRaw = coding === 'deflate' && (Number(bytes[0]) & 15) !== 8
    bytes = await decode(bytes, isRaw ? 'deflate-raw' : coding, maxBytes)
  }
  return bytes
}

/* Each may unpack to the limit. */
const MAX_ENCODINGS = 5

/** Whether a text is JSON. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/* The function of node:zlib for each coding. */
const DECODERS: Readonly<Record<string, string>> = {
  gzip: 'gunzipSync',
  deflate: 'inflateSync',
  'deflate-raw': 'inflateRawSync',
  br: 'brotliDecompressSync',
}

/** Removes one content encoding; `undefined` if this runtime does not know it. */
type Decode = (
  bytes: Uint8Array,
  coding: string,
  maxBytes: number,
) => Uint8Array | undefined | Promise<Uint8Array | undefined>

const byZlib: Decode = (bytes, coding, maxBytes) =>
  zlib()?.[DECODERS[coding] ?? '']?.(bytes, { maxOutputLength: Math.min(maxBytes, 2 ** 31 - 1) })

/**
 * By the streams of the Web only where there is no zlib: they have no brotli on Node.js 20. For what servers receive. A
 * `fetch` decodes what clients receive.
 */
export const byZlibOrStreams: Decode = (bytes, coding, maxBytes) => {
  if (zlib() !== undefined) return byZlib(bytes, coding, maxBytes)
  if (DECODERS[coding] === undefined) return undefined
  let stream: DecompressionStream
  try {
    stream = new DecompressionStream((coding === 'br' ? 'brotli' : coding) as 'gzip')
  } catch {
    return undefined
  }
  const writer = stream.writable.getWriter()
  const write = async () => {
    for (let at = 0; at < bytes.length; at += SLICE_BYTES) await writer.write(bytes.slice(at, at + SLICE_BYTES))
    await writer.close()
  }
  /* Its errors are errors of the reader, too. */
  void write().catch(() => {})
  const reader = stream.readable.getReader()
  return readWhole(reader, maxBytes).finally(() => void reader.cancel().catch(() => {}))
}

type Zlib = Readonly<Record<string, (bytes: Uint8Array, limit: { readonly maxOutputLength: number }) => Uint8Array>>

function zlib(): Zlib | undefined {
  const runtime = globalThis as { readonly process?: { getBuiltinModule?(id: string): Zlib | undefined } }
  return runtime.process?.getBuiltinModule?.('node:zlib')
}

/* On Workers a slice is decoded as a whole before any of it is read: it may unpack to a thousand times its size. */
const SLICE_BYTES = 512
