import { type AdminSessionClient, type CallOptions, isCertifyError } from '../../index.ts'
import type { Clock } from './clock.ts'
import { idKey } from './key.ts'

/** How long a listing is believed. */
const FRESH_MS = 600_000

/**
 * Which quizzes a package holds, by the service's own listing, which is asked for once in ten minutes. A key that may not
 * read it learns nothing: a package is then compared by its own name, and by the quizzes that earlier answers named.
 */
export class PackageSkills {
  readonly #tracks: AdminSessionClient['tracks']
  readonly #clock: Clock
  /** Whether the key may not read the listing, as far as it was asked for. */
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
      this.#listing = { at: now, quizzes: this.#list(options) }
    }
    try {
      return (await this.#listing.quizzes).get(idKey(packageId)) ?? []
    } catch (error) {
      this.#listing = undefined
      throw error
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
