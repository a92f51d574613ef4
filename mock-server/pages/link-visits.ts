import type { MockServer } from '../contract/mock-server.ts'

/** How often somebody opened the link of an invite in a browser, and when. */
export interface LinkVisit {
  readonly times: number
  readonly firstAt: string
  readonly lastAt: string
}

/** The links that were opened in a browser, since the world began. */
export class LinkVisits {
  readonly #mock: MockServer
  #worldId = ''
  readonly #visits = new Map<string, LinkVisit>()

  constructor(mock: MockServer) {
    this.#mock = mock
  }

  note(inviteId: string): void {
    const at = this.#mock.clock.now().toISOString()
    const before = this.of(inviteId)
    this.#visits.set(inviteId, { times: (before?.times ?? 0) + 1, firstAt: before?.firstAt ?? at, lastAt: at })
  }

  of(inviteId: string): LinkVisit | null {
    // A reset or a restore makes another world, whose links nobody has opened.
    if (this.#mock.worldId !== this.#worldId) this.#visits.clear()
    this.#worldId = this.#mock.worldId
    return this.#visits.get(inviteId) ?? null
  }
}
