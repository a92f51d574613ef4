import { toBase64Url } from './base64.ts'

/* More bytes would make it longer, and no safer. */
const BYTES = 18

/**
 * The key of an event: of its reference and its identifier, or of its body if it has none. It begins with letters, because it
 * is also an argument of commands; other ones than the identifiers of the mock.
 */
export async function eventKey(reference: string, id: string | null, body: Uint8Array): Promise<string> {
  const start = new TextEncoder().encode(JSON.stringify([reference, id]))
  const rest = id === null ? body : new Uint8Array()
  const text = new Uint8Array(start.length + rest.length)
  text.set(start)
  text.set(rest, start.length)
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', text))
  return `cb_${toBase64Url(digest.subarray(0, BYTES))}`
}
