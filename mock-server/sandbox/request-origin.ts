import type { RequestHead } from '../api/exchange.ts'

/**
 * Whether a page of another origin sent it. Browsers send the origin with every request that can change something, as
 * `null` for a page without one; a GET has only their `sec-fetch-site`. Following a link is a person's own act,
 * wherever the link was.
 */
export function isFromOtherPage(request: RequestHead): boolean {
  const origin = request.header('origin')
  if (origin !== null)
    return !URL.canParse(origin) || new URL(origin).host !== (request.header('host') ?? '').toLowerCase()
  // A frame navigates too, but its destination is not a document.
  const isFollowed = request.header('sec-fetch-dest') === 'document'
  return !isFollowed && /^(cross|same)-site$/.test(request.header('sec-fetch-site') ?? '')
}
