import { type Fetch, globalFetch } from '../transport/fetch.ts'
import { createFetch } from './create-fetch.ts'

/**
 * The default `fetch` of clients on Node.js and Bun, which share its connections. Node.js's own `fetch` cannot tell
 * whether a request was sent, and reuses connections that a load balancer has closed, which makes the outcome of a
 * create unknown. Deno, whose `require` also finds this build, uses its own.
 */
export const defaultFetch: Fetch = (url, init) => {
  shared ??= 'Deno' in globalThis ? globalFetch : createFetch()
  return shared(url, init)
}

let shared: Fetch | undefined
