import type { HttpResponse } from './guarded-fetch.ts'

/**
 * Names the content of a response that is no GraphQL result, as in `an HTML page, text/html`. Returns `undefined` for JSON
 * and unknown types. Nothing of the body is in the name.
 */
export function nameOfContent({ text, header }: HttpResponse): string | undefined {
  const type = header('content-type') ?? ''
  if (/^text\/plain\b/i.test(type)) return 'plain text, text/plain'
  if (/^text\/html\b/i.test(type)) return 'an HTML page, text/html'
  return /^\s*<(!doctype )?html\b/i.test(text) ? 'an HTML page' : undefined
}
