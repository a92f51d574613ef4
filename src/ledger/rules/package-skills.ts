import { type AdminSessionClient, type CallOptions, isCertifyError } from '../../index.ts'
import type { Clock } from './clock.ts'
import { idKey } from './key.ts'

/** How long a listing is used. */
const FRESH_MS = 600_000
/** How long an older one is believed if the service does not answer. */
const STALE_MS = 60_000

/**
 * The quizzes of a package, from the service's own list. The list is requested at most once in ten minutes. If the key
 * may not read it, a package is compared by its own identifier and by the quizzes of earlier responses.
 */
export class PackageSkills {
  readonly #tracks: AdminSessionClient['tracks']
  readonly #clock: Clock
  /** Whether the key may not read the list, as far as it was requested. */
  isForbidden = false
  #listing: { readonly at: number; readonly quizzes: Promise<ReadonlyMap<string, readonly string[]>> } | undefined

  constructor(tracks: AdminSessionClient['tracks'], clock: Clock) {
    this.#tracks = tracks
    this.#clock = clock
  }

  /** @throws CertifyError as `tracks.list` */
  async of(packageId: string, options?: CallOptions): Promise<readonly string[]> {
    const now = this.#clock.now()
    if (this.#listing === undefined || now - this.#listing.at > FRESH_MS) {
      this.#listing = { at: now, quizzes: this.#listAgain(now, this.#listing?.quizzes, options) }
    }
    try {
      return (await this.#listing.quizzes).get(idKey(packageId)) ?? []
    } catch (error) {
      this.#listing = undefined
      throw error
    }
  }

  /* In an outage the earlier listing is better than none. */
  async #listAgain(
    now: number,
    earlier: Promise<ReadonlyMap<string, readonly string[]>> | undefined,
    options: CallOptions | undefined,
  ): Promise<ReadonlyMap<string, readonly string[]>> {
    try {
      return await this.#list(options)
    } catch (error) {
      if (earlier === undefined || !isCertifyError(error) || error.code === 'ABORTED') throw error
      this.#listing = { at: now - FRESH_MS + STALE_MS, quizzes: earlier }
      return earlier
    }
  }

  async #list(options: CallOptions | undefined): Promise<ReadonlyMap<string, readonly string[]>> {
    try {
      const packages = (await this.#tracks.list({}, options)).flatMap((track) => track.packages)
      return new Map(packages.map(({ id, skills }) => [idKey(id), skills.map(({ quizId }) => quizId)]))
    } catch (error) {
      if (!isCertifyError(error) || error.code !== 'FORBIDDEN') throw error
      this.isForbidden = true
      return new Map()
    }
  }
}
