import { MAX_SESSIONS } from '../contract/limits.ts'
import type { MockSession } from '../contract/mock-server.ts'
import type { ApiKey } from '../generated/contract.ts'
import { IdStream } from '../world/seeded-random.ts'
import type { RequestHead } from '../api/exchange.ts'
import type { Router, SessionRoute } from './router.ts'

/** One session: another world behind the same address. */
export interface Session {
  readonly router: Router
  readonly mock: MockSession
}

/**
 * The worlds that share one address. A request belongs to the session of its path (`/s/{id}/…`), key or admin session, and
 * otherwise to the mock itself.
 */
export class Sessions {
  readonly #ids: IdStream
  readonly #open = new Map<string, Session>()

  constructor(seed: string) {
    this.#ids = new IdStream(seed, 'ses_', 12)
  }

  /** The identifier that was asked for, or one that no session of this mock has had. */
  newId(wanted?: string): string {
    if (this.#open.size >= MAX_SESSIONS) {
      throw new Error(`${MAX_SESSIONS} sessions are open: close those that are no longer used.`)
    }
    if (wanted === undefined) return this.#ids.next()
    if (!/^[a-z0-9-]{1,32}$/.test(wanted)) {
      throw new Error(
        `The id of a session is at most 32 lower-case letters, digits and hyphens, not ${JSON.stringify(wanted)}.`,
      )
    }
    if (this.#open.has(wanted)) throw new Error(`There is already a session ${JSON.stringify(wanted)}.`)
    return wanted
  }

  list(): MockSession[] {
    return Array.from(this.#open.values(), ({ mock }) => mock)
  }

  add(id: string, session: Session): void {
    this.#open.set(id, session)
  }

  remove(id: string): void {
    this.#open.delete(id)
  }

  get isEmpty(): boolean {
    return this.#open.size === 0
  }

  /** The session of a request; `undefined`: it belongs to the mock itself. */
  routeOf(request: RequestHead, base: string): SessionRoute | undefined {
    const [, id = '', rest = ''] = /^\/s\/([^/?#]+)(.*)$/s.exec(request.target) ?? []
    const byPath = this.#open.get(id)
    if (byPath) {
      const target = rest === '' ? '/' : rest
      return { router: byPath.router, request: { ...request, target }, base: `${base}/s/${id}` }
    }
    const [key, authorization] = [request.header('x-api-key'), request.header('authorization')]
    for (const named of [key, authorization].flatMap(namesIn)) {
      const session = this.#open.get(named)
      if (session && opens(session.mock, key, authorization))
        return { router: session.router, request, base: `${base}/s/${named}` }
    }
    return undefined
  }
}

/** The sessions that credentials may be of: theirs end with the name, in which only a generated one has an underscore. */
function namesIn(credentials: string | null): string[] {
  return [/_((?:ses_)?[a-z0-9-]+)$/, /_([a-z0-9-]+)$/].flatMap((pattern) => pattern.exec(credentials ?? '')?.[1] ?? [])
}

function opens({ apiKeys, adminSession }: MockSession, key: string | null, authorization: string | null): boolean {
  const isItsKey = key !== null && apiKeys.some((known) => known.key === key)
  return isItsKey || (authorization !== null && authorization === adminSession.headers['authorization'])
}

/** The keys of a session: the same names and scopes, with values of its own. */
export function sessionKeys(id: string, apiKeys: readonly ApiKey[]): ApiKey[] {
  return apiKeys.map((key) => ({ ...key, key: `${key.key}_${id}` }))
}
