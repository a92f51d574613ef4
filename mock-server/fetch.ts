import { MAX_BODY_BYTES } from './api/exchange.ts'
import type { Router } from './api/router.ts'
import type { MockFetch } from './platform.ts'

/** A fetch that answers out of a router whatever is asked under the base, and refuses to ask anything else. */
export function fetchOf(router: Router, baseUrl: string): MockFetch {
  return async (input, init) => {
    const request = new Request(typeof input === 'object' && 'href' in input ? input.href : input, init)
    request.signal.throwIfAborted()
    const target = targetUnder(baseUrl, request.url)
    if (target === null) {
      const { origin, pathname } = new URL(request.url)
      const unknown = Object.assign(new Error(`${origin}${pathname} is not under ${baseUrl}`), NOT_FOUND)
      throw new TypeError(`This mock answers under ${baseUrl} and nowhere else.`, { cause: unknown })
    }
    const bytes = await request.arrayBuffer()
    request.signal.throwIfAborted()
    const { status, headers, body } = router(
      {
        method: request.method,
        target,
        header: (name) => request.headers.get(name),
        body: bytes.byteLength > MAX_BODY_BYTES ? null : new TextDecoder().decode(bytes),
      },
      baseUrl,
    )
    return new Response(request.method === 'HEAD' ? null : body, { status, headers })
  }
}

/** What of an address comes after the base, or `null` where the address is not under the base. */
export function targetUnder(baseUrl: string, address: string): string | null {
  if (!address.startsWith(baseUrl)) return null
  const target = address.slice(baseUrl.length)
  return target === '' || /^[/?#]/.test(target) ? target : null
}

/* How a host is not found by Node's fetch: nothing was sent. */
const NOT_FOUND = { code: 'ENOTFOUND', syscall: 'getaddrinfo' }
