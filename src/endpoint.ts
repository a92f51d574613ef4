import { parseUrl } from './parse-url.ts'
import { clientInvalid } from './refusals.ts'

/** The path of the API below a base URL. Source: specification, part 1. */
export const API_PATH = '/api/developer/graphql'

const LOOPBACK = /^(localhost|[^.]+\.localhost|127(\.\d+){3}|\[::1\])$/

/** Whether the host of a URL is this machine. */
export const isLoopback = ({ hostname }: { readonly hostname: string }): boolean => LOOPBACK.test(hostname)

/** The hint if an option is empty or missing. */
export const UNSET = 'Is its environment variable set?'

/**
 * Returns the endpoint below a base URL.
 *
 * @throws CertifyError CONFIG_INVALID, outcome `not-executed`
 */
export function readEndpoint(baseUrl: string, allowInsecureHttp: boolean): string {
  if (baseUrl === '') throw refuse('is not set', UNSET)
  const url = parseUrl(baseUrl)
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username + url.password + url.search + url.hash) {
    throw refuse(
      'must be an absolute http or https URL, without a user name, password, query or fragment',
      'An example is https://certify.example.com.',
    )
  }
  if (url.protocol === 'http:' && !allowInsecureHttp && !isLoopback(url)) {
    throw refuse(
      'is http to another machine, which would send the key unencrypted',
      'Use https, or set allowInsecureHttp.',
    )
  }
  const path = url.pathname.replace(/(?<!\/)\/+$/, '')
  if (path.endsWith(API_PATH)) throw refuse(`must not end in ${API_PATH}`, 'The client adds that path.')
  return `${url.origin}${path}${API_PATH}`
}

function refuse(rule: string, hint: string) {
  return clientInvalid('baseUrl', rule, hint)
}
