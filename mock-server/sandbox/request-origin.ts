import type { RequestHead } from '../api/exchange.ts'
import { WORLD_PATH } from '../contract/paths.ts'
import { CHALLENGE_PATH } from '../world/challenge-links.ts'
import type { SiteAccess } from './site-access.ts'

/**
 * Whether a request comes from none of the clients under test: a page of another origin sent it, or it has neither a key nor
 * a session. A challenge link and the world need none. In process, every request is the test's own.
 */
export function isFromStranger(request: RequestHead, path: string, access: SiteAccess): boolean {
  if (access.hosts === null) return false
  if (isFromOtherPage(request)) return true
  if (path === WORLD_PATH || path.startsWith(CHALLENGE_PATH)) return false
  return request.header('x-api-key') === null && request.header('authorization') === null
}

/**
 * Whether a page of another origin sent it. Browsers name the origin with everything that can change something, and `null` is
 * that of a page without one; a GET has only their `sec-fetch-site`. Somebody who follows a link does it by hand, wherever
 * the link was.
 */
export function isFromOtherPage(request: RequestHead): boolean {
  const origin = request.header('origin')
  if (origin !== null)
    return !URL.canParse(origin) || new URL(origin).host !== (request.header('host') ?? '').toLowerCase()
  // A frame of a page navigates, too: its destination is no document.
  const isFollowed = request.header('sec-fetch-dest') === 'document'
  return !isFollowed && /^(cross|same)-site$/.test(request.header('sec-fetch-site') ?? '')
}
