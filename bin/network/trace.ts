import type { Fetch } from '../../src/index.ts'

/** What a trace may say of a request. Never a body, and no header but the two that name the request. */
export interface Traced {
  readonly method: string
  /** Host and path. */
  readonly target: string
  readonly reference: string | undefined
  readonly status?: number
  readonly requestId?: string | undefined
  readonly durationMs?: number
  /** The system's word for what went wrong. */
  readonly failed?: string
}

/** Tells of each request when it leaves, and when its answer begins or it fails. */
export function traced(fetch: Fetch, now: () => number, tell: (event: Traced) => void): Fetch {
  return async (url, init) => {
    const { host, pathname } = new URL(url)
    const request = { method: init.method, target: host + pathname, reference: init.headers['x-client-reference'] }
    const since = now()
    tell(request)
    try {
      const response = await fetch(url, init)
      const requestId = identifier(response.headers.get('x-request-id'))
      tell({ ...request, status: response.status, requestId, durationMs: now() - since })
      return response
    } catch (error) {
      tell({ ...request, failed: wordOf(error), durationMs: now() - since })
      throw error
    }
  }
}

/** A line for people. */
export function traceLine({ method, target, reference, status, requestId, durationMs, failed }: Traced): string {
  if (durationMs === undefined) return `> ${method} ${target}  reference ${reference ?? 'none'}`
  const after = `after ${durationMs} ms`
  if (failed !== undefined) return `< failed (${failed}) ${after}`
  return `< HTTP ${status} ${after}${requestId === undefined ? '' : `  request id ${requestId}`}`
}

function identifier(id: string | null): string | undefined {
  return id !== null && /^[\w.+=-]{1,128}$/.test(id) ? id : undefined
}

function wordOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,63}$/.test(code) ? code : 'no reason given'
}
