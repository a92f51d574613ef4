import type { Fetch } from '../index.ts'
import { globalFetch } from '../transport/global-fetch.ts'
import { createFetch } from './create-fetch.ts'

/**
 * Sends the requests of clients without a `fetch` of their own, on Node.js and Bun: all share its connections. The `fetch` of
 * Node.js cannot tell whether a request was sent, and sends on connections that a balancer has closed: then the outcome of a
 * create is unknown. Deno, whose `require` finds this build too, sends with its own.
 */
export const defaultFetch: Fetch = (url, init) => {
  shared ??= 'Deno' in globalThis ? globalFetch : createFetch()
  return shared(url, init)
}

let shared: Fetch | undefined
