import type { PlainRequest } from '../api/exchange.ts'
import { WORLD_PATH } from '../contract/paths.ts'
import { CHALLENGE_PATH } from '../world/challenge-links.ts'
import type { SiteAccess } from './site-access.ts'

/**
 * Whether a request comes from none of the clients under test: a page of another origin sent it, or it has neither a key nor
 * a session. A challenge link and the world need none. In process, every request is the test's own.
 */
export function isFromStranger(request: PlainRequest, path: string, access: SiteAccess): boolean {
  if (access.hosts === null) return false
  if (isFromOtherPage(request)) return true
  if (path === WORLD_PATH || path.startsWith(CHALLENGE_PATH)) return false
  return request.header('x-api-key') === null && request.header('authorization') === null
}

/** Whether a page of another origin sent it. Somebody who follows a link does it by hand, wherever the link was. */
function isFromOtherPage(request: PlainRequest): boolean {
  const origin = request.header('origin')
  if (origin !== null)
    return !URL.canParse(origin) || new URL(origin).host !== (request.header('host') ?? '').toLowerCase()
  const isFollowed = request.header('sec-fetch-mode') === 'navigate'
  return !isFollowed && /^(cross|same)-site$/.test(request.header('sec-fetch-site') ?? '')
}
