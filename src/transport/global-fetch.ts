import type { Fetch, FetchInit } from './fetch.ts'

/**
 * The runtime's own `fetch`. It is looked up at each call, so that whoever replaces it later (a test, a proxy agent) is
 * heard.
 *
 * Deno's sends a request a second time, creates included, when the connection ends before an answer came
 * (https://github.com/denoland/deno/issues/35610). It cannot do that with a stream, which is read only once.
 */
export const globalFetch: Fetch = (url, init) => fetch(url, 'Deno' in globalThis ? readableOnce(init) : init)

function readableOnce(init: FetchInit): RequestInit {
  const stream = { body: new Blob([init.body]).stream(), duplex: 'half' as const }
  return { ...init, ...stream }
}
