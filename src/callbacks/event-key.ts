import { toBase64Url } from './base64.ts'

/** The key of an event: of its reference and its identifier, or of its body if it has none. */
export async function eventKey(reference: string, id: string | null, body: Uint8Array): Promise<string> {
  const start = new TextEncoder().encode(JSON.stringify([reference, id]))
  const rest = id === null ? body : new Uint8Array()
  const text = new Uint8Array(start.length + rest.length)
  text.set(start)
  text.set(rest, start.length)
  return toBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', text)))
}
