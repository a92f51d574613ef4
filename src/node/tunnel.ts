import type { ClientRequestArgs } from 'node:http'
import type { Duplex } from 'node:stream'
import type { SecureContextOptions } from 'node:tls'
import { moduleFor } from './builtins.ts'

/** The proxy of a tunnel. */
export interface TunnelTo {
  readonly proxy: URL
  /** The certificate authorities for the connection to the proxy itself. */
  readonly ca: SecureContextOptions['ca']
}

/** What a request tells its agent for it. */
export interface TunnelOptions {
  /** Aborts the tunnel while it is being opened: until then, the request has no connection that it could end. */
  readonly untilOpen?: AbortSignal
  /** For the connection to the proxy too. */
  readonly autoSelectFamilyAttemptTimeout?: number
}

/**
 * Opens a proxy's tunnel (`CONNECT`), with plain http too: no request with a key is addressed to the proxy. Only TLS
 * keeps the proxy from reading what it forwards.
 */
export function openTunnel(
  { proxy, ca }: TunnelTo,
  { host, port, untilOpen, autoSelectFamilyAttemptTimeout: ms }: ClientRequestArgs & TunnelOptions,
  done: (error: Error | null, socket: Duplex) => void,
): void {
  const target = host?.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
  const { username, password } = proxy
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')
  const connecting = moduleFor(proxy.protocol).request(proxy, {
    method: 'CONNECT',
    path: target,
    agent: false,
    /* The credentials in the URL are for the proxy: here they would be sent as `authorization`. */
    auth: null,
    headers: {
      connection: 'keep-alive',
      ...(username + password !== '' && { 'proxy-authorization': `Basic ${credentials}` }),
    },
    ...(untilOpen && { signal: untilOpen }),
    ...(ms && { autoSelectFamilyAttemptTimeout: ms }),
    ...(ca && { ca }),
  })
  /* Set afterwards: Node.js checks the certificate against the host header that the request is made with. */
  connecting.setHeader('host', target)
  connecting.on('error', (error) => done(error, connecting.socket as Duplex))
  connecting.on('connect', ({ statusCode = 0 }, socket) => {
    if (statusCode === 200) return done(null, socket)
    /* The proxy responded instead of opening a tunnel: nothing reached the service. */
    socket.destroy()
    done(Object.assign(new Error('no tunnel'), { code: `PROXY_RESPONDED_${statusCode}` }), socket)
  })
  connecting.end()
}
