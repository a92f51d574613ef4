import type { IncomingMessage } from 'node:http'

/** The body of a response, unpacked. The request refuses compression, but some proxies compress anyway. */
export async function readableBody(incoming: IncomingMessage): Promise<NodeJS.ReadableStream> {
  const encoding = incoming.headers['content-encoding']?.trim().toLowerCase()
  if (encoding === undefined || encoding === 'identity') return incoming
  const { createBrotliDecompress, createGunzip, createInflate } = await import('node:zlib')
  const { pipeline } = await import('node:stream')
  const decoders = { gzip: createGunzip, 'x-gzip': createGunzip, deflate: createInflate, br: createBrotliDecompress }
  const create = new Map(Object.entries(decoders)).get(encoding)
  if (create === undefined) return incoming
  /* A body that is not read, as of a redirect, must not raise an error. */
  return pipeline(
    incoming,
    create().on('error', () => {}),
    () => {},
  )
}
