import { configInvalid } from './refusals.ts'

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
 * @param isOwnFetch whether the caller has a `fetch` of its own, which may allow every port
 * @throws CertifyError CONFIG_INVALID, outcome `not-executed`
 */
export function readEndpoint(baseUrl: string, allowInsecureHttp: boolean, isOwnFetch: boolean): string {
  if (baseUrl === '') throw baseUrlInvalid('is empty', UNSET)
  const example = 'An example is https://certify.example.com.'
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw baseUrlInvalid('is not an absolute http or https URL', example)
  }
  if (url.username + url.password + url.search + url.hash !== '') {
    throw baseUrlInvalid('must have no user name, password, query or fragment', example)
  }
  if (url.protocol === 'http:' && !allowInsecureHttp && !isLoopback(url)) {
    throw baseUrlInvalid(
      'is http to another machine, which would send the key unencrypted',
      'Use https, or set allowInsecureHttp.',
    )
  }
  if (!isOwnFetch && BAD_PORT.test(url.port)) {
    throw baseUrlInvalid('has a port that `fetch` refuses', 'Use another port, or set `fetch`.')
  }
  const path = url.pathname.replace(/(?<!\/)\/+$/, '')
  if (path.endsWith(API_PATH)) throw baseUrlInvalid(`must not end in ${API_PATH}`, 'The client adds that path.')
  return `${url.origin}${path}${API_PATH}`
}

/* Source: the Fetch standard, "bad port". */
const BAD_PORT =
  /^([179]|1[13579]|2[0-35]|37|4[23]|53|69|7[79]|87|95|10[1-49]|11[013579]|123|13[579]|143|161|179|389|427|465|51[2-5]|526|53[0-2]|54[08]|55[46]|563|587|601|636|989|99[035]|1719|172[03]|2049|3659|4045|4190|506[01]|6000|6566|666[5-9]|6679|6697|10080)$/

function baseUrlInvalid(rule: string, hint: string) {
  return configInvalid({ path: 'baseUrl', rule }, hint)
}
