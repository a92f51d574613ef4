/** Base64 for a path: with `-` and `_`, without padding. */
export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

/** The bytes of {@link toBase64Url}; `undefined` if it is not what that returns. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  const bytes = fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'))
  return bytes !== undefined && toBase64Url(bytes) === text ? bytes : undefined
}

export function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}

/** `undefined` if it is not base64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
  } catch {
    return undefined
  }
}
