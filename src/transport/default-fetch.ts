import type { Fetch } from './fetch.ts'
import { globalFetch } from './global-fetch.ts'

/** Sends the requests of clients without a `fetch` of their own. In the build for Node.js, src/node/default-fetch.ts replaces it. */
export const defaultFetch: Fetch = globalFetch
