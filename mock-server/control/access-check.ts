import type { RequestHead } from '../api/exchange.ts'
import { isKnownHost, type SiteRequest } from '../sandbox/router.ts'
import { type ErrorResponse, errorWith } from './control-errors.ts'

/**
 * Checks who may see the page and use the control API. The host must be a known name (against DNS rebinding), the
 * origin the mock's own (against other pages), and the token right if one is set. In process there is nothing to check.
 */
export function accessError({ request, access }: SiteRequest): ErrorResponse | null {
  if (access.hosts === null) return null
  if (!isKnownHost(request.header('host') ?? '', access)) return errorWith('HOST_NOT_ALLOWED', UNKNOWN_HOST)
  if (isFromOtherPage(request)) return errorWith('FOREIGN_ORIGIN', OTHER_ORIGIN)
  if (access.token !== null && tokenIn(request.header('authorization') ?? '') !== access.token)
    return errorWith('TOKEN_NEEDED', NO_TOKEN)
  return null
}

const UNKNOWN_HOST =
  'The page and the control API answer only to names of this machine. To allow another name: certify mock --allow-host <name>, or mock.listen({ allowHosts: [name] }).'
const OTHER_ORIGIN =
  'This came from a page of another origin, which may not use the control API. Call it from a program, or from its own page.'
const NO_TOKEN = 'Send the control token: authorization: Bearer <token>, or as the password of basic authentication.'

function tokenIn(authorization: string): string | null {
  const [, scheme = '', value = ''] = /^(bearer|basic) +(.*)$/i.exec(authorization) ?? []
  if (scheme.toLowerCase() !== 'basic') return value
  try {
    const text = new TextDecoder().decode(Uint8Array.from(atob(value), (character) => character.charCodeAt(0)))
    return text.slice(text.indexOf(':') + 1)
  } catch {
    return null
  }
}

/** Whether its own page sent it: browsers send the origin with every POST, which {@link isFromOtherPage} has compared. */
export function isFromOwnPage(request: Pick<RequestHead, 'header'>): boolean {
  return request.header('origin') !== null || request.header('sec-fetch-site') === 'same-origin'
}

/**
 * Whether a page of another origin sent it. Browsers send the origin with every request that can change something, as
 * `null` for a page without one; a GET has only their `sec-fetch-site`. Following a link is a person's own act,
 * wherever the link was.
 */
export function isFromOtherPage(request: Pick<RequestHead, 'header'>): boolean {
  const origin = request.header('origin')
  if (origin !== null)
    return !URL.canParse(origin) || new URL(origin).host !== (request.header('host') ?? '').toLowerCase()
  // A frame navigates too, but its destination is not a document.
  const isFollowed = request.header('sec-fetch-dest') === 'document'
  return !isFollowed && /^(cross|same)-site$/.test(request.header('sec-fetch-site') ?? '')
}
