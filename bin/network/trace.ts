import type { Fetch } from '../../src/index.ts'
import { codeOf } from '../cli-error.ts'

/** A request in a trace: without its body, and with no headers but the two that identify it. */
export interface TraceEvent {
  readonly method: string
  readonly target: string
  readonly reference: string | undefined
  readonly status?: number
  readonly requestId?: string | undefined
  readonly durationMs?: number
  /** The code of the failure. */
  readonly failed?: string
}

/** Reports each request when it leaves, and when its response begins or it fails. */
export function traceFetch(fetch: Fetch, now: () => number, report: (event: TraceEvent) => void): Fetch {
  return async (url, init) => {
    const { host, pathname } = new URL(url)
    const request = { method: init.method, target: host + pathname, reference: init.headers['x-client-reference'] }
    const since = now()
    report(request)
    try {
      const response = await fetch(url, init)
      const id = response.headers.get('x-request-id')
      const requestId = id !== null && /^[\w.+=-]{1,128}$/.test(id) ? id : undefined
      report({ ...request, status: response.status, requestId, durationMs: now() - since })
      return response
    } catch (error) {
      const code = codeOf(error) ?? ''
      const failed = /^[A-Z][A-Z0-9_]{1,63}$/.test(code) ? code : 'unknown reason'
      report({ ...request, failed, durationMs: now() - since })
      throw error
    }
  }
}

export function traceLine({ method, target, reference, status, requestId, durationMs, failed }: TraceEvent): string {
  if (durationMs === undefined) return `> ${method} ${target}  reference ${reference ?? 'none'}`
  const after = `after ${durationMs} ms`
  if (failed !== undefined) return `< failed (${failed}) ${after}`
  return `< HTTP ${status} ${after}${requestId === undefined ? '' : `  request id ${requestId}`}`
}
