import type { HttpResponse } from './guarded-fetch.ts'

/**
 * Names the content of a response that is no GraphQL result, as in `an HTML page, text/html`. Returns `undefined` for JSON
 * and unknown types. Nothing of the body is in the name.
 */
export function nameOfContent({ text, header }: HttpResponse): string | undefined {
  const type = /^[^;,\s]*/.exec(header('content-type')?.trim().toLowerCase() ?? '')?.[0] ?? ''
  const named = NAMES.get(type)
  if (named !== undefined) return `${named}, ${type}`
  return /^\s*<(!doctype html|html)\b/i.test(text) ? 'an HTML page' : undefined
}

const NAMES: ReadonlyMap<string, string> = new Map([
  ['text/html', 'an HTML page'],
  ['application/xhtml+xml', 'an HTML page'],
  ['text/plain', 'plain text'],
  ['text/xml', 'an XML document'],
  ['application/xml', 'an XML document'],
])
