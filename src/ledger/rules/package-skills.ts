import { isCertifyError } from '../../errors.ts'
import type { RecordedClient } from '../../internals.ts'
import type { CallOptions } from '../../transport/call.ts'
import type { Clock } from '../../clock.ts'
import type { Settlement } from './model.ts'
import { idKey } from './key.ts'

/** How long a listing counts as fresh. */
const FRESH_MS = 300_000

/** The quizzes of each package; `undefined`: the key may not list packages. */
type Listing = Map<string, readonly string[]> | undefined

interface Latest {
  /** When it was requested. */
  readonly at: number
  readonly listing: Promise<Listing>
}

/**
 * The quizzes of a package, from the service's own list. The list is requested again after five minutes, for a package
 * that is not in it, and for one whose create returned other quizzes. A package that is not listed, or whose list the key may
 * not read, is compared by its own identifier and by the quizzes in earlier responses.
 */
export class PackageSkills {
  readonly #query: RecordedClient['query']
  readonly #clock: Clock
  /** Whether the service has refused the list to this key. */
  isForbidden = false
  #latest: Latest | undefined

  constructor(query: RecordedClient['query'], clock: Clock) {
    this.#query = query
    this.#clock = clock
  }

  /** @throws CertifyError as `tracks.list` */
  async of(packageId: string, options?: CallOptions): Promise<readonly string[]> {
    const id = idKey(packageId)
    const cached = this.#latest
    if (cached !== undefined && this.#clock.now() - cached.at <= FRESH_MS) {
      const known = quizzesIn(await this.#joined(cached, options), id)
      if (known !== undefined) return known
    }
    /* Another call may have requested it meanwhile. */
    const latest = this.#latest === cached ? undefined : this.#latest
    const listing = await (latest === undefined ? this.#listAgain(options).listing : this.#joined(latest, options))
    return quizzesIn(listing, id) ?? []
  }

  /* The limits of the call that requested it may have ended it, but not this call. */
  #joined({ listing }: Latest, options: CallOptions | undefined): Promise<Listing> {
    return listing.catch((failure: unknown) => {
      if (!isCertifyError(failure) || failure.code !== 'ABORTED') throw failure
      return (this.#latest ?? this.#listAgain(options)).listing
    })
  }

  /** Forgets a package of which the list lacks a quiz that a create has returned. */
  learn(packageId: string, settlement: Settlement): void {
    if (settlement.state !== 'created') return
    const id = idKey(packageId)
    const made = settlement.invites.flatMap(({ quizId }) => (quizId === undefined ? [] : idKey(quizId)))
    const compare = (quizzes: Listing) => {
      const listed = quizzes?.get(id)?.map(idKey)
      if (listed !== undefined && made.some((quizId) => !listed.includes(quizId))) quizzes?.delete(id)
    }
    void this.#latest?.listing.then(compare, () => {})
  }

  #listAgain(options: CallOptions | undefined): Latest {
    const listing = this.#list(options).catch((failure: unknown) => {
      this.#latest = undefined
      throw failure
    })
    this.#latest = { at: this.#clock.now(), listing }
    return this.#latest
  }

  async #list(options: CallOptions | undefined): Promise<Listing> {
    try {
      const packages = (await this.#query({}, options)).flatMap((track) => track.packages)
      return new Map(packages.map(({ id, skills }) => [idKey(id), skills.map(({ quizId }) => quizId)]))
    } catch (error) {
      if (!isCertifyError(error) || error.code !== 'FORBIDDEN') throw error
      this.isForbidden = true
      return undefined
    }
  }
}

/* `undefined`: the package is not listed. */
function quizzesIn(quizzes: Listing, id: string): readonly string[] | undefined {
  return quizzes === undefined ? [] : quizzes.get(id)
}
