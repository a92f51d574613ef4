import { BODYLESS_STATUSES } from '../contract/faults.ts'
import type { PlainAnswer } from './exchange.ts'

/** What a gateway or a web server answers instead of the service. */
export function gatewayPage(status: number): PlainAnswer {
  if (BODYLESS_STATUSES.has(status)) return { status, headers: {}, body: '' }
  const title = PHRASES.get(status) ?? String(status)
  return {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: `<!doctype html>\n<html lang="en"><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`,
  }
}

const PHRASES: ReadonlyMap<number, string> = new Map([
  [401, '401 Unauthorized'],
  [403, '403 Forbidden'],
  [429, '429 Too Many Requests'],
  [500, '500 Internal Server Error'],
  [502, '502 Bad Gateway'],
  [503, '503 Service Unavailable'],
  [504, '504 Gateway Timeout'],
])
