/** The signature headers of Standard Webhooks: an HMAC with SHA-256 over identifier, seconds and body. */
export async function standardWebhook(
  secret: string,
  { id, body, at, signing }: { id: string; body: string; at: number; signing: 'true' | 'bad' | 'stale' },
): Promise<Record<string, string>> {
  const seconds = String(Math.floor(at / 1000) - (signing === 'stale' ? STALE_SECONDS : 0))
  const key = await globalThis.crypto.subtle.importKey('raw', keyBytes(secret), HMAC, false, ['sign'])
  const signed = new TextEncoder().encode(`${id}.${seconds}.${signing === 'bad' ? `${body} ` : body}`)
  const mac = new Uint8Array(await globalThis.crypto.subtle.sign('HMAC', key, signed))
  return {
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': `v1,${btoa(String.fromCharCode(...mac))}`,
  }
}

/** An hour: more than any receiver tolerates. */
const STALE_SECONDS = 3600

const HMAC = { name: 'HMAC', hash: 'SHA-256' }

function keyBytes(secret: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(secret.replace(/^whsec_/, '')), (letter) => letter.charCodeAt(0))
}
