/**
 * Returns the code in an error of `fetch` that proves that the request never left this machine, or `undefined`. Proofs
 * are: a name that does not resolve, a connection that was not made, a certificate that was not accepted.
 *
 * A reset alone proves nothing, and no message does. A runtime without error codes proves nothing either.
 *
 * @param isRuntimes whether the error is from the runtime's own `fetch`: an error from another one may lack `syscall`
 */
export function proofOfUnsent(error: unknown, isRuntimes: boolean): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const { code, syscall, erroredSysCall, cause, errors } = error as Record<string, unknown>
  if (Array.isArray(errors) && errors.length > 0) {
    const proofs = errors.map((each) => proofOfUnsent(each, isRuntimes))
    return proofs.includes(undefined) ? undefined : proofs[0]
  }
  const validCode = asCode(code)
  /* The second is node-fetch's name for it. */
  const call = syscall ?? erroredSysCall
  if (call === 'connect' || call === 'getaddrinfo') return validCode ?? call
  /* An established connection may end with the same codes, if the network reports late: that proves nothing. */
  if (typeof call === 'string') return undefined
  if (validCode !== undefined && (HANDSHAKE.test(validCode) || (isRuntimes && UNSENT.has(validCode)))) return validCode
  return proofOfUnsent(cause, isRuntimes)
}

/** The runtime's code of an error, as in `ECONNRESET`. Never its message, which may contain anything. */
export function errorCodeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const { code, cause } = error as Record<string, unknown>
  return asCode(code) ?? errorCodeOf(cause)
}

function asCode(code: unknown): string | undefined {
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,63}$/.test(code) ? code : undefined
}

/** Whether such a code says that a certificate was not accepted. */
export const isCertificate = (code: string): boolean => HANDSHAKE.test(code) && !code.startsWith('UND_')

/* The network may also report these for a connection that was made long ago. */
const UNSENT = new Set(['EAI_AGAIN', 'ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND'])

/*
 * These codes occur only while a connection is made: undici's for a connect time-out, and OpenSSL's and Node's for a
 * refused certificate. No other code of OpenSSL: data that is not TLS may arrive at any time.
 */
const HANDSHAKE =
  /^(UND_ERR_CONNECT_TIMEOUT$|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(GET_ISSUER|VERIFY_LEAF)|ERR_TLS_CERT_|HOSTNAME_MISMATCH|INVALID_CA)/
