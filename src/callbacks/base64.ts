/** Base64url: with `-` and `_`, without padding. */
export function toBase64Url(bytes: Uint8Array): string {
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
  return text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

/** The inverse of {@link toBase64Url}; `undefined` for a text that it never returns. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const decoded = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = Uint8Array.from(decoded, (letter) => letter.charCodeAt(0))
    return toBase64Url(bytes) === text ? bytes : undefined
  } catch {
    return undefined
  }
}
