import type { Router } from '../api/router.ts'
import { IdStream } from '../world/ids.ts'
import type { ApiKey } from '../world/model.ts'

/** Another world behind the same address. */
export interface Session {
  readonly router: Router
  /** Whether this key, or this authorization header, is one of its own. */
  readonly opens: (key: string | null, authorization: string | null) => boolean
}

/**
 * The worlds that share one address: a request belongs to the session whose key, or admin session, it carries, or whose path it asks for
 * (`/s/{id}/…`), and to the mock itself otherwise.
 */
export class Sessions {
  readonly #own: Router
  readonly #ids: IdStream
  readonly #open = new Map<string, Session>()

  constructor(own: Router, seed: string) {
    this.#own = own
    this.#ids = new IdStream(seed, 'ses_', 12)
  }

  /** An identifier that no session of this mock has had. */
  newId(): string {
    return this.#ids.next()
  }

  add(id: string, session: Session): void {
    this.#open.set(id, session)
  }

  remove(id: string): void {
    this.#open.delete(id)
  }

  readonly router: Router = (request, base) => {
    if (this.#open.size === 0) return this.#own(request, base)
    const [, id = '', rest = ''] = /^\/s\/([^/?#]+)(.*)$/s.exec(request.target) ?? []
    const byPath = this.#open.get(id)
    if (byPath) return byPath.router({ ...request, target: rest === '' ? '/' : rest }, `${base}/s/${id}`)
    const key = request.header('x-api-key')
    const authorization = request.header('authorization')
    for (const [sessionId, { opens, router }] of this.#open) {
      if (opens(key, authorization)) return router(request, `${base}/s/${sessionId}`)
    }
    return this.#own(request, base)
  }
}

/** The keys of a session: with the names and scopes of these, and values that no other session has. */
export function sessionKeys(id: string, apiKeys: readonly ApiKey[]): ApiKey[] {
  return apiKeys.map((key) => ({ ...key, key: `${key.key}_${id}` }))
}
