import { type CertifyError, isCertifyError } from './errors.ts'

/** How a call ended, as a value. */
export type Settled<T> =
  | { readonly ok: true; readonly value: T; readonly error?: undefined }
  | { readonly ok: false; readonly error: CertifyError; readonly value?: undefined }

/**
 * Turns the failure of a call into a value. It still throws any other error than a {@link CertifyError}.
 *
 * @example
 * ```ts
 * const { ok, value, error } = await settle(client.invites.create(input))
 * ```
 */
export async function settle<T>(call: Promise<T>): Promise<Settled<T>> {
  try {
    return { ok: true, value: await call }
  } catch (error) {
    if (!isCertifyError(error)) throw error
    return { ok: false, error }
  }
}
