const HMAC = { name: 'HMAC', hash: 'SHA-256' }

/** A key for {@link sign} and {@link isSigned}. */
export type HmacKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>

export function importKey(bytes: Uint8Array<ArrayBuffer>): Promise<HmacKey> {
  return crypto.subtle.importKey('raw', bytes, HMAC, false, ['sign', 'verify'])
}

export async function sign(key: HmacKey, data: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, data))
}

/** Whether one of the keys made this signature. It takes the same time for every signature. */
export async function isSigned(
  keys: readonly HmacKey[],
  signature: Uint8Array<ArrayBuffer>,
  data: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const matches = await Promise.all(keys.map((key) => crypto.subtle.verify('HMAC', key, signature, data)))
  return matches.includes(true)
}
