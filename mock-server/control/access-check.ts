import type { SiteRequest } from '../sandbox/router.ts'
import type { ErrorAnswer } from './control-errors.ts'

/**
 * Who may see the page and use the control API: whoever asks for a name that is no stranger's, from no page of somebody else,
 * and shows the token where there is one. In process there is nothing to guard.
 */
export function refusalAt({ request, access }: SiteRequest): ErrorAnswer | null {
  if (access.hosts === null) return null
  const host = request.header('host') ?? ''
  if (!isKnown(nameIn(host), access.hosts)) return UNKNOWN_HOST
  const origin = request.header('origin')
  // Browsers send it with whatever can change something; `null` is what they say of pages that have none.
  if (origin !== null && !(URL.canParse(origin) && new URL(origin).host === host.toLowerCase())) return FOREIGN_ORIGIN
  if (access.token !== null && tokenIn(request.header('authorization') ?? '') !== access.token) return NO_TOKEN
  return null
}

const UNKNOWN_HOST: ErrorAnswer = {
  status: 403,
  code: 'HOST_NOT_ALLOWED',
  message:
    'The page and the control API answer under names of this machine alone. Allow the name that you ask for: certify mock --allow-host <name>, or mock.listen({ allowHosts: [name] }).',
}

const FOREIGN_ORIGIN: ErrorAnswer = {
  status: 403,
  code: 'FOREIGN_ORIGIN',
  message:
    'This came from a page of another origin, which may not use the control API. Call it from a program, or from its own page.',
}

const NO_TOKEN: ErrorAnswer = {
  status: 401,
  code: 'TOKEN_NEEDED',
  message: 'Show the control token: authorization: Bearer <token>, or as the password of basic authentication.',
}

function isKnown(name: string, allowed: readonly string[]): boolean {
  return LOOPBACK.test(name) || allowed.some((each) => each.toLowerCase() === name)
}

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/

/** The name in a `host` header, without its port. */
function nameIn(host: string): string {
  return host.toLowerCase().replace(/:\d+$/, '')
}

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
