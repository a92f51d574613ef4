import { Agent } from 'node:http'
import { Agent as TlsAgent } from 'node:https'
import nodeFetch from 'node-fetch-3'
import { createFetch } from '../../src/node/index.ts'
import type { Fetch } from '../../src/index.ts'

/** The fetch implementations under test: the default, the command line's, and what polyfills bring. */
export const FETCHES = ['global', 'command line', 'node-fetch'] as const
export type FetchName = (typeof FETCHES)[number]

/** One of them as a caller uses it. */
export interface OpenFetch {
  /** `undefined`: none is passed, and the client uses the global one. */
  readonly fetch: Fetch | undefined
  readonly close: () => void
}

export function openFetch(name: FetchName, { secure, keeps }: { secure: boolean; keeps: boolean }): OpenFetch {
  if (name === 'global') return { fetch: undefined, close() {} }
  if (name === 'command line') return { fetch: createFetch(), close() {} }
  const agent = new (secure ? TlsAgent : Agent)({ keepAlive: keeps })
  const send = nodeFetch as unknown as (url: string, init: object) => unknown
  const fetch = ((url, init) => send(url, { ...init, agent })) as Fetch
  return { fetch, close: () => agent.destroy() }
}
