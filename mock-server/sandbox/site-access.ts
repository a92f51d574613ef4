import { CONTROL_PATH, DETAIL_PATHS, ENDPOINT_PATH, VIEWS } from '../contract/paths.ts'

/** Who may use the page and the control API at one listener. */
export interface SiteAccess {
  readonly control: boolean
  /** The host names that are allowed besides loopback names; `null`: any, because no network is involved. */
  readonly hosts: readonly string[] | null
  /** The token that a request needs; `null` if it needs none. */
  readonly token: string | null
}

/** In process, the caller has the mock itself. */
export const IN_PROCESS: SiteAccess = { control: true, hosts: null, token: null }

/**
 * Whether a request is for the page, the candidate's page or the control API; others are for the service itself. A browser
 * gets a page for every path but the endpoint.
 */
export function isForSite(method: string, path: string, accept: string | null): boolean {
  if (path === CONTROL_PATH || path.startsWith(`${CONTROL_PATH}/`)) return true
  if (method !== 'GET' && method !== 'HEAD') return false
  if (path === '' || VIEWS.some((view) => view.path === path)) return true
  const isForPeople = /\btext\/html\b/.test(accept ?? '')
  return (isForPeople && path !== ENDPOINT_PATH) || DETAIL_PATHS.some((start) => isOneBelow(start, path))
}

/** Whether the `host` of a request, with or without a port, is a name of this machine or an allowed one. */
export function isKnownHost(host: string, { hosts }: SiteAccess): boolean {
  const name = host.toLowerCase().replace(/:\d+$/, '')
  return isLoopback(name) || hosts === null || hosts.some((each) => each.toLowerCase() === name)
}

/** Whether a host name is one of this machine's loopback. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|[\w.-]+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
}

function isOneBelow(start: string, path: string): boolean {
  return path.startsWith(start) && path.length > start.length && !path.includes('/', start.length)
}
