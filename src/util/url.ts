/** The path of the API below a base URL. Source: specification, part 1. */
export const API_PATH = '/api/developer/graphql'

/** Whether the host of a URL is this machine. */
export const isLoopback = ({ hostname }: { readonly hostname: string }): boolean => LOOPBACK.test(hostname)

const LOOPBACK = /^(localhost|[^.]+\.localhost|127(\.\d+){3}|\[::1\])$/

/**
 * Parses a URL; `undefined` if the text is not one.
 *
 * Not `URL.canParse`: on Node.js 20, once it has been called often enough to be optimized, it refuses every URL with a
 * letter such as `ü`. One address would then have two keys in the ledger, and be invited twice.
 */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}
