import { constants, gunzipSync, gzipSync } from 'node:zlib'
import type { Body, WireInvite } from './bodies.ts'
import type { FetchName } from './fetches.ts'

/** How the end of a body is marked; `none`: there is no body, and no header says so. */
export type Framing = 'content-length' | 'chunked' | 'close' | 'none'

/** How a connection ends early; by `stall` it stays open, and nothing more arrives. */
export type CutBy = 'fin' | 'rst' | 'stall'

/** One response, down to its bytes and where they stop. */
export interface WireResponse {
  readonly status: number
  readonly body: Body
  readonly framing: Framing
  /** Statuses of interim responses before it. */
  readonly interim?: readonly number[]
  /** Only this many bytes are sent; absent: all. */
  readonly cut?: { readonly at: number; readonly by: CutBy }
}

/** Which fetch reads it, and whether the connection is kept. */
export interface Reader {
  readonly fetch: FetchName
  readonly keeps: boolean
}

/** What a reader can have seen of a response. */
export interface Seen {
  readonly status: number
  /** To its end, or indistinguishable from that. */
  readonly isWhole: boolean
  readonly text: string
}

/** The bytes of a complete response. */
export function bytesOf(
  { status, body, framing, interim = [] }: WireResponse,
  invite: WireInvite,
  keeps: boolean,
): Buffer {
  const start = interim.map((each) => `HTTP/1.1 ${each} Interim\r\n\r\n`).join('')
  if (framing === 'none') return Buffer.from(`${start}HTTP/1.1 ${status} Response\r\n\r\n`)
  const content = contentOf(body, invite)
  const headers = [
    `content-type: ${body.type}`,
    ...(body.gzip === true ? ['content-encoding: gzip'] : []),
    ...(status >= 300 && status < 400 ? ['location: /moved'] : []),
    ...(framing === 'content-length' ? [`content-length: ${content.length}`] : []),
    ...(framing === 'chunked' ? ['transfer-encoding: chunked'] : []),
    ...(keeps && framing !== 'close' ? [] : ['connection: close']),
  ]
  const head = `${start}HTTP/1.1 ${status} Response\r\n${headers.join('\r\n')}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), framing === 'chunked' ? chunked(content) : content])
}

/** What had arrived of a response when its connection ended or fell silent; `undefined` before its status. */
export function seenOf(response: WireResponse, invite: WireInvite, reader: Reader): Seen | undefined {
  const { status, body, framing, cut } = response
  if (framing === 'none') return { status, isWhole: true, text: '' }
  const content = contentOf(body, invite)
  const bytes = bytesOf(response, invite, reader.keeps)
  const parts = framing === 'chunked' ? chunksOf(content) : [{ bytes: content, isContent: true }]
  let left = Math.min(cut?.at ?? bytes.length, bytes.length) - (bytes.length - sizeOf(parts.map((part) => part.bytes)))
  if (left < 0) return undefined
  const seen: Buffer[] = []
  for (const part of parts) {
    if (part.isContent) seen.push(part.bytes.subarray(0, Math.max(0, left)))
    left -= part.bytes.length
  }
  const isWhole = (left === 0 && framing !== 'close') || cut === undefined || isHidden(framing, cut.by, reader)
  return { status, isWhole, text: isWhole ? textOf(body, Buffer.concat(seen)) : '' }
}

/*
 * Whether a reader takes the end of the connection for the end of the body. If the body is delimited by that end, no
 * reader in Node.js tells FIN from RST. Its own fetch does the same with chunks on a connection that is announced as
 * the last.
 */
function isHidden(framing: Framing, by: CutBy, { fetch, keeps }: Reader): boolean {
  return by !== 'stall' && (framing === 'close' || (framing === 'chunked' && fetch === 'global' && !keeps))
}

function contentOf({ gzip, textFor }: Body, invite: WireInvite): Buffer {
  const text = Buffer.from(textFor(invite))
  return gzip === true && text.length > 0 ? gzipSync(text) : text
}

function textOf({ gzip }: Body, content: Buffer): string {
  if (gzip !== true || content.length === 0) return content.toString()
  /* As much as can be decompressed, as some readers do. */
  return gunzipSync(content, { finishFlush: constants.Z_SYNC_FLUSH }).toString()
}

interface Part {
  readonly bytes: Buffer
  readonly isContent: boolean
}

/* Two chunks, so that one can be missing. */
function chunksOf(content: Buffer): readonly Part[] {
  const middle = content.length >> 1
  const pieces = [content.subarray(0, middle), content.subarray(middle)].filter((piece) => piece.length > 0)
  const mark = (text: string): Part => ({ bytes: Buffer.from(text), isContent: false })
  const chunks = pieces.flatMap((bytes) => [
    mark(`${bytes.length.toString(16)}\r\n`),
    { bytes, isContent: true },
    mark('\r\n'),
  ])
  return [...chunks, mark('0\r\n\r\n')]
}

function chunked(content: Buffer): Buffer {
  return Buffer.concat(chunksOf(content).map(({ bytes }) => bytes))
}

function sizeOf(buffers: readonly Buffer[]): number {
  return buffers.reduce((sum, { length }) => sum + length, 0)
}
