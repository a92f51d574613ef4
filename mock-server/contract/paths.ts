/** Where the GraphQL endpoint stands, from the base on. */
export const ENDPOINT_PATH = '/api/developer/graphql'

/** Where a mock says which world it is, so that nobody takes it for an earlier one. */
export const WORLD_PATH = '/__mock/world'

/** Where the control API stands, from the base on. */
export const CONTROL_PATH = '/__mock'

/** The views of the page, in the order of its menu. */
export const VIEWS = [
  { path: '/', name: 'Overview' },
  { path: '/outbox', name: 'Outbox' },
  { path: '/invites', name: 'Invites' },
  { path: '/callbacks', name: 'Callbacks' },
  { path: '/faults', name: 'Faults' },
  { path: '/requests', name: 'Requests' },
  { path: '/console', name: 'Console' },
  { path: '/connect', name: 'Connect' },
] as const

/** What a candidate can do on the page behind a link. */
export const ACTS = ['start', 'pass', 'fail', 'abandon', 'claim'] as const

/** Whether a request is for the page, the candidate's page or the control API; all else is for the service itself. */
export function isForSite(method: string, path: string, accept: string | null): boolean {
  if (path === CONTROL_PATH || path.startsWith(`${CONTROL_PATH}/`)) return true
  if (CHALLENGE_ACT.test(path) && method === 'POST') return true
  if (method !== 'GET' && method !== 'HEAD') return false
  if (CHALLENGE.test(path) || CHALLENGE_ACT.test(path)) return /\btext\/html\b/.test(accept ?? '')
  return path === '' || path === '/outbox/latest' || VIEWS.some((view) => view.path === path)
}

const CHALLENGE = /^\/challenge\/[^/]+$/
const CHALLENGE_ACT = new RegExp(`^/challenge/[^/]+/(${ACTS.join('|')})$`)
