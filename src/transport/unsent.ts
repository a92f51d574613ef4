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
  const word = typeof code === 'string' && /^[A-Z][A-Z0-9_]*$/.test(code) ? code : undefined
  if (syscall === 'connect' || syscall === 'getaddrinfo') return word ?? syscall
  if (word !== undefined && (UNSENT.has(word) || CERTIFICATE.test(word))) return word
  return proofOfUnsent(cause)
}

const UNSENT = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'UND_ERR_CONNECT_TIMEOUT',
])

/* The words of OpenSSL and Node for a certificate that is refused while the connection is being made. */
const CERTIFICATE =
  /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(GET_ISSUER|VERIFY_LEAF)|ERR_TLS_CERT_|HOSTNAME_MISMATCH|INVALID_CA)/
