import type { Fetch, FetchInit } from './fetch.ts'

/**
 * The runtime's own `fetch`. It is looked up at each call: a test or a proxy agent may replace it later.
 *
 * Deno's `fetch` sends a request again, even a create, if the connection ends before a response arrived
 * (https://github.com/denoland/deno/issues/35610). It cannot do so with a stream, which is read only once.
 */
export const globalFetch: Fetch = (url, init) => fetch(url, 'Deno' in globalThis ? readableOnce(init) : init)

/* Read as early as possible, before other code can replace it. */
const RUNTIME_FETCH = globalThis.fetch

/** Whether requests use the runtime's own `fetch`, and not a replacement. */
export function isRuntimeFetch(send: Fetch): boolean {
  return (send === globalFetch ? globalThis.fetch : send) === RUNTIME_FETCH
}

function readableOnce(init: FetchInit): RequestInit {
  const stream = { body: new Blob([init.body]).stream(), duplex: 'half' as const }
  return { ...init, ...stream }
}
