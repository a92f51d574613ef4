import { type Fetch, globalFetch } from './fetch.ts'

/** The default `fetch` of clients. The Node.js build replaces this file with src/node/default-fetch.ts. */
export const defaultFetch: Fetch = globalFetch
