import type { Fetch } from '../index.ts'
import { createFetch } from './create-fetch.ts'

/**
 * Sends the requests of clients without a `fetch` of their own, on Node.js and Bun: all share its connections. The `fetch` of
 * Node.js cannot tell whether a request was sent, and sends on connections that a balancer has closed: then the outcome of a
 * create is unknown.
 */
export const defaultFetch: Fetch = (url, init) => {
  shared ??= createFetch()
  return shared(url, init)
}

let shared: Fetch | undefined
