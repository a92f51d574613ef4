import type { Fetch, FetchInit } from './fetch.ts'

/**
 * The runtime's own `fetch`. It is looked up at each call, so that whoever replaces it later (a test, a proxy agent) is
 * heard.
 *
 * Deno's sends a request a second time, creates included, when the connection ends before an answer came
 * (https://github.com/denoland/deno/issues/35610). It cannot do that with a stream, which is read only once.
 */
export const globalFetch: Fetch = (url, init) => fetch(url, 'Deno' in globalThis ? readableOnce(init) : init)

/* Before anybody can have replaced it, as far as that is possible. */
const RUNTIME_FETCH = globalThis.fetch

/** Whether requests go through the runtime's own `fetch`, and not through one of somebody else's making. */
export function isRuntimeFetch(send: Fetch): boolean {
  return (send === globalFetch ? globalThis.fetch : send) === RUNTIME_FETCH
}

function readableOnce(init: FetchInit): RequestInit {
  const stream = { body: new Blob([init.body]).stream(), duplex: 'half' as const }
  return { ...init, ...stream }
}
