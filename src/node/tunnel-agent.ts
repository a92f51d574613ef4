import { Agent, type AgentOptions, type ClientRequestArgs, request } from 'node:http'
import type { RequestOptions } from 'node:https'
import type { Duplex } from 'node:stream'
import type { SecureContextOptions } from 'node:tls'
import { https } from './https.ts'

/** What a request tells its agent, in addition to Node.js's options. */
export interface TunnelOptions {
  /** Aborts the tunnel while it is being opened: until then, the request has no connection that it could end. */
  readonly untilOpen?: AbortSignal
  /** For the connection to the proxy too. */
  readonly autoSelectFamilyAttemptTimeout?: number
}

type Opened = (error: Error | null, socket: Duplex) => void

/**
 * An agent that reaches every host through a proxy's tunnel (`CONNECT`), with plain http too: no request with a key is
 * addressed to the proxy. Only TLS keeps the proxy from reading what it forwards.
 *
 * @param secure whether the service speaks TLS, inside the tunnel
 * @param ca the certificate authorities for the connection to the proxy itself
 */
export function tunnelAgent(proxy: URL, secure: boolean, options: AgentOptions, ca: SecureContextOptions['ca']): Agent {
  const agent = secure ? new (https().Agent)(options) : new Agent(options)
  const secureConnection = agent.createConnection.bind(agent)
  agent.createConnection = (target: ClientRequestArgs & TunnelOptions, done: Opened) => {
    openTunnel(proxy, target, ca, (error, socket) => {
      const isPlain = error !== null || !secure
      done(error, isPlain ? socket : (secureConnection({ ...target, socket } as RequestOptions) as Duplex))
    })
    return undefined
  }
  return agent
}

function openTunnel(
  proxy: URL,
  { host, port, untilOpen, autoSelectFamilyAttemptTimeout: ms }: ClientRequestArgs & TunnelOptions,
  ca: SecureContextOptions['ca'],
  done: Opened,
): void {
  const target = host?.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
  const { username, password } = proxy
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')
  const connecting = (proxy.protocol === 'https:' ? https().request : request)(proxy, {
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
    done(Object.assign(new Error('no tunnel'), { code: `PROXY_ANSWERED_${statusCode}` }), socket)
  })
  connecting.end()
}
