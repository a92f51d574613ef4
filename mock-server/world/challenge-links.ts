import { DAY_MS } from './clock.ts'

/** The path of every link, before its token. */
export const CHALLENGE_PATH = '/challenge/'

/** How long a link stays open. */
export const LINK_LIFETIME_MS: number = 14 * DAY_MS

/** The link with this token, on a service at this base. */
export function challengeUrlOf(base: string, token: string): string {
  return base + CHALLENGE_PATH + token
}

/** The token in a link; `undefined` if the text is not a link. */
export function tokenIn(link: string): string | undefined {
  return /\/challenge\/([^/?#]+)/.exec(link)?.[1]
}

/** A link in two parts: the base of the service, and the path. */
export function splitLink(challengeUrl: string): { readonly base: string; readonly path: string } {
  const end = challengeUrl.lastIndexOf(CHALLENGE_PATH)
  return { base: challengeUrl.slice(0, end), path: challengeUrl.slice(end) }
}
