/**
 * What proves, in an error of `fetch`, that the request never left this machine: a name that does not resolve, a
 * connection that was never made, a certificate that was not accepted. Gives the runtime's word for it, or `undefined`.
 *
 * A reset alone proves nothing, and neither does any message. A runtime that gives no codes proves nothing either.
 */
export function proofOfUnsent(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const { code, syscall, cause, errors } = error as Record<string, unknown>
  if (Array.isArray(errors) && errors.length > 0) {
    const proofs = errors.map(proofOfUnsent)
    return proofs.includes(undefined) ? undefined : proofs[0]
  }
  const word = asWord(code)
  if (syscall === 'connect' || syscall === 'getaddrinfo') return word ?? syscall
  /* An established connection may end with the same words, as when the network reports late: that proves nothing. */
  if (typeof syscall === 'string') return undefined
  if (word !== undefined && (UNSENT.has(word) || CERTIFICATE.test(word))) return word
  return proofOfUnsent(cause)
}

/** The runtime's word for an error, as in `ECONNRESET`; never its message, which may hold anything. */
export function wordOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const { code, cause } = error as Record<string, unknown>
  return asWord(code) ?? wordOf(cause)
}

function asWord(code: unknown): string | undefined {
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,63}$/.test(code) ? code : undefined
}

const UNSENT = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'UND_ERR_CONNECT_TIMEOUT',
])

/* The words of OpenSSL and Node for a certificate that is refused while the connection is being made. */
const CERTIFICATE =
  /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(GET_ISSUER|VERIFY_LEAF)|ERR_TLS_CERT_|HOSTNAME_MISMATCH|INVALID_CA)/
