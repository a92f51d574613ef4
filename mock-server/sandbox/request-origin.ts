import type { RequestHead } from '../api/exchange.ts'

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
