import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Fetch, FetchResponse } from '../../src/index.ts'

/**
 * A fetch on node:http(s). It starts several times faster than the global one on Node 20, and it knows what the global
 * one does not tell: whether the connection was ever made. What fails before that says so with `syscall: 'connect'`.
 */
export const httpFetch: Fetch = (url, { method, headers, body, signal }) =>
  new Promise<FetchResponse>((resolve, reject) => {
    const target = new URL(url)
    const secure = target.protocol === 'https:'
    const payload = Buffer.from(body)
    const outgoing = (secure ? requestHttps : requestHttp)(target, {
      method,
      agent: false,
      headers: { ...headers, 'content-length': payload.byteLength },
    })
    let connected = false
    const onAbort = () => outgoing.destroy(new Error('aborted'))
    signal.addEventListener('abort', onAbort)
    outgoing.on('socket', (socket) => socket.once(secure ? 'secureConnect' : 'connect', () => (connected = true)))
    outgoing.on('error', (error: NodeJS.ErrnoException) => reject(connected ? error : notConnected(error)))
    outgoing.on('close', () => signal.removeEventListener('abort', onAbort))
    outgoing.on('response', (incoming) => {
      const status = incoming.statusCode ?? 0
      const get = (name: string) => incoming.headersDistinct[name.toLowerCase()]?.join(', ') ?? null
      resolve({ status, ok: status >= 200 && status < 300, headers: { get }, body: incoming })
    })
    outgoing.end(payload)
  })

function notConnected({ message, code }: NodeJS.ErrnoException): Error {
  return Object.assign(new Error(message), { code: code ?? 'ECONNABORTED', syscall: 'connect' })
}
