import type { CampaignRow } from '../../../src/campaign/index.ts'
import type { CertifyClient, PackageTrack } from '../../../src/index.ts'
import { nearest } from '../../spelling.ts'

/** An identifier of the file that the service does not list. */
export interface UnlistedId {
  readonly kind: 'quiz' | 'package'
  readonly id: string
  readonly rows: number
  /** The first of them. */
  readonly row: number
  /** A similar one that is listed. */
  readonly near?: string | undefined
  /** Whether it is listed as one of the other kind. */
  readonly isOtherKind: boolean
}

/** The identifiers of a file, compared with those that the service lists. */
export interface Comparison {
  readonly unlisted: readonly UnlistedId[]
  /** The code of the failure because of which they were not compared. */
  readonly failure: string | undefined
}

/** The quizzes and packages of rows, by their identifiers: the first thousand. */
export class NamedIds {
  readonly #ids = new Map<
    string,
    { readonly kind: UnlistedId['kind']; readonly id: string; readonly row: number; rows: number }
  >()

  /** The same rows. */
  async *watched(rows: AsyncIterable<CampaignRow>): AsyncGenerator<CampaignRow> {
    for await (const row of rows) {
      this.#add(row)
      yield row
    }
  }

  /** Asks the service once. Does not reject: a plan is possible without it. */
  async compare(client: Pick<CertifyClient, 'tracks'>, signal: AbortSignal): Promise<Comparison> {
    if (this.#ids.size === 0) return { unlisted: [], failure: undefined }
    const { settle } = await import('../../../src/index.ts')
    const { value, error } = await settle(client.tracks.list({}, { signal, retry: false }))
    if (value === undefined) return { unlisted: [], failure: error.code }
    const listed = idsOf(value)
    const unlisted = [...this.#ids.values()].filter(({ kind, id }) => !listed[kind].has(id))
    return { unlisted: unlisted.map((each) => ({ ...each, ...likelyMeaning(each, listed) })), failure: undefined }
  }

  #add({ input, row = 0 }: CampaignRow): void {
    const { quizId, packageId } = (input ?? {}) as { readonly quizId?: string; readonly packageId?: string }
    const id = (packageId ?? quizId)?.trim()
    if (!id) return
    const kind = packageId === undefined ? 'quiz' : 'package'
    const found = this.#ids.get(`${kind} ${id}`)
    if (found !== undefined) found.rows += 1
    else if (this.#ids.size < MOST_IDS) this.#ids.set(`${kind} ${id}`, { kind, id, row, rows: 1 })
  }
}

const MOST_IDS = 1000

type Listed = Readonly<Record<UnlistedId['kind'], ReadonlySet<string>>>

function idsOf(tracks: readonly PackageTrack[]): Listed {
  const packages = tracks.flatMap((track) => track.packages)
  const quizzes = packages.flatMap(({ skills }) => skills.map(({ quizId }) => quizId.trim()))
  return { quiz: new Set(quizzes), package: new Set(packages.map(({ id }) => id.trim())) }
}

/* Identifiers of one catalogue are much alike. */
const CLEARLY_NEAR = 0.2

function likelyMeaning({ kind, id }: Pick<UnlistedId, 'kind' | 'id'>, listed: Listed) {
  const isOtherKind = listed[kind === 'quiz' ? 'package' : 'quiz'].has(id)
  return { isOtherKind, ...(!isOtherKind && { near: nearest(id, [...listed[kind]], CLEARLY_NEAR) }) }
}
