import type { SecureContext, SecureContextOptions } from 'node:tls'
import { optionsInvalid } from '../errors.ts'
import { checkOptions, closedAs, isString, once, option, optional, rule } from '../validation.ts'
import { proxyProblem } from './proxy.ts'

/** A certificate or a key in PEM, as a string or bytes. */
export type Pem = string | Uint8Array

/** Certificates and keys of your own. */
export interface FetchTls {
  /**
   * The certificate authorities to trust instead of Node.js's own. To add one, set `NODE_EXTRA_CA_CERTS`, or append it
   * to `rootCertificates` of `node:tls`. They also verify an https proxy.
   */
  readonly ca?: Pem | readonly Pem[] | undefined
  /** The certificate of the client, with its chain, for a service that asks for one (mTLS). It needs `key`. */
  readonly cert?: Pem | undefined
  /** The private key of `cert`. */
  readonly key?: Pem | undefined
  /** The passphrase of `key`. */
  readonly passphrase?: string | undefined
}

/** The options of `createFetch`. */
export interface FetchOptions {
  /**
   * How long an idle connection is kept for the next request, in milliseconds: 0 to 60,000. With 0, none is kept.
   * Default: 500. Keep it well below the idle timeout of the service, and of everything in front of it.
   */
  readonly idleMs?: number | undefined
  /**
   * The URL of an http or https proxy, or `'environment'` for the one that `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and
   * `NO_PROXY` name. `NO_PROXY` may list names, addresses and blocks such as `10.0.0.0/8`. Requests go through a tunnel
   * (`CONNECT`), except to this machine. Default: no proxy.
   */
  readonly proxy?: 'environment' | (string & {}) | undefined
  /** Certificates and keys of your own. */
  readonly tls?: FetchTls | undefined
}

/** @throws CertifyError CONFIG_INVALID, outcome `not-executed` */
export function checkFetchOptions(options: FetchOptions): void {
  checkOptions('createFetch', fetchOptions, options)
}

/**
 * Reads certificates and keys.
 *
 * @throws CertifyError CONFIG_INVALID, outcome `not-executed`, if they cannot be used
 */
export function secureContextOf(tls: SecureContextOptions): SecureContext {
  try {
    return process.getBuiltinModule('node:tls').createSecureContext(tls)
  } catch {
    /* Without its cause, which may quote them. */
    throw optionsInvalid('createFetch', [{ path: 'tls', rule: 'has a certificate or key that cannot be used' }])
  }
}

const isPem = (value: unknown) => isString(value) || value instanceof Uint8Array
const pem = () => option(isPem, 'must be a string or bytes, in PEM')

const fetchOptions = once(() =>
  closedAs<FetchOptions>()({
    idleMs: option(
      (value) => typeof value === 'number' && value >= 0 && value <= 60_000,
      'must be a number of milliseconds between 0 and 60000',
    ),
    proxy: option(
      (value) => value === 'environment' || (isString(value) && proxyProblem(value) === undefined),
      "must be 'environment' or the URL of an http or https proxy",
    ),
    tls: optional(
      closedAs<FetchTls>()(
        {
          ca: option(
            (value) => isPem(value) || (Array.isArray(value) && value.every(isPem)),
            'must be a string or bytes, in PEM, or a list of them',
          ),
          cert: pem(),
          key: pem(),
          passphrase: option(isString, 'must be a string'),
        },
        rule(({ cert, key }: FetchTls) => (cert === undefined) === (key === undefined), 'needs both cert and key'),
      ),
    ),
  }),
)
