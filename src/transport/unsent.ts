/**
 * What proves, in an error of `fetch`, that the request never left this machine: a name that does not resolve, a
 * connection that was never made, a certificate that was not accepted. Returns the runtime's word for it, or `undefined`.
 *
 * A reset alone proves nothing, and neither does any message. A runtime that gives no codes proves nothing either.
 *
 * @param isRuntimes whether the error comes from the runtime's own `fetch`: another one may leave out `syscall`
 */
export function proofOfUnsent(error: unknown, isRuntimes: boolean): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const { code, syscall, erroredSysCall, cause, errors } = error as Record<string, unknown>
  if (Array.isArray(errors) && errors.length > 0) {
    const proofs = errors.map((each) => proofOfUnsent(each, isRuntimes))
    return proofs.includes(undefined) ? undefined : proofs[0]
  }
  const validCode = asCode(code)
  /* The latter is node-fetch's name for it. */
  const call = syscall ?? erroredSysCall
  if (call === 'connect' || call === 'getaddrinfo') return validCode ?? call
  /* An established connection may end with the same words, as when the network reports late: that proves nothing. */
  if (typeof call === 'string') return undefined
  if (validCode !== undefined && (HANDSHAKE.test(validCode) || (isRuntimes && UNSENT.has(validCode)))) return validCode
  return proofOfUnsent(cause, isRuntimes)
}

/** The runtime's word for an error, as in `ECONNRESET`; never its message, which may hold anything. */
export function errorCodeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const { code, cause } = error as Record<string, unknown>
  return asCode(code) ?? errorCodeOf(cause)
}

function asCode(code: unknown): string | undefined {
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,63}$/.test(code) ? code : undefined
}

/* Words that the network may also say of a connection that was made long ago. */
const UNSENT = new Set(['EAI_AGAIN', 'ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND'])

/*
 * Words that can only be said while a connection is made: undici's for its time, those of OpenSSL and Node for a
 * certificate that is refused. None of OpenSSL's others: what is no TLS may come at any time.
 */
const HANDSHAKE =
  /^(UND_ERR_CONNECT_TIMEOUT$|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(GET_ISSUER|VERIFY_LEAF)|ERR_TLS_CERT_|HOSTNAME_MISMATCH|INVALID_CA)/
