/* The addresses of a mock, from its base on. */

/** The GraphQL endpoint. */
export const ENDPOINT_PATH = '/api/developer/graphql'

/** The control API. */
export const CONTROL_PATH = '/__mock'

/** Which world this is: the one address below the control API that is served without it. */
export const WORLD_PATH = `${CONTROL_PATH}/world`

/** The views of the page, in the order of its menu, which is that of their first use. The last ones are under More. */
export const VIEWS = [
  { path: '/', name: 'Overview' },
  { path: '/requests', name: 'Requests' },
  { path: '/outbox', name: 'Outbox' },
  { path: '/invites', name: 'Invites' },
  { path: '/callbacks', name: 'Callbacks' },
  { path: '/faults', name: 'Faults', begins: 'group' },
  { path: '/connect', name: 'Connect' },
  { path: '/catalogue', name: 'Catalogue', begins: 'more' },
  { path: '/candidates', name: 'Candidates' },
  { path: '/behaviour', name: 'Behaviour' },
] as const

/** The newest e-mail to one address. */
export const LATEST_MAIL_PATH = '/outbox/latest'

/** The pages of one invite, one e-mail and one request. */
export const DETAIL_PATHS = ['/invites/', '/outbox/', '/requests/'] as const
