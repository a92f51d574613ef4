import type { PackageTrack } from '../../src/index.ts'
import { nearest } from '../spelling.ts'
import { printable } from '../terminal/text.ts'

export type Kind = 'quiz' | 'package'

/** What a create is about: the field that says it, the kind, and an id or a title; empty if nothing says it. */
export function targetOf({ quizId, packageId }: { readonly quizId?: Id; readonly packageId?: Id }) {
  return packageId === undefined
    ? ({ field: 'quizId', kind: 'quiz', id: quizId ?? '' } as const)
    : ({ field: 'packageId', kind: 'package', id: packageId } as const)
}

type Id = string | undefined

/** What the service lists under an id. */
interface Listed {
  readonly kind: Kind
  /** As in "State and Events (BEGINNER)". */
  readonly title: string
  readonly name: string
  /** For a package, the quizzes of its skills. */
  readonly quizIds?: readonly string[]
}

/** The quizzes and packages that the service lists, by id and by title. */
export class Catalogue {
  readonly #listed = new Map<string, Listed>()
  readonly #ids: Record<Kind, Map<string, Set<string>>> = { quiz: new Map(), package: new Map() }

  constructor(tracks: readonly PackageTrack[]) {
    for (const { id, name, level, skills } of tracks.flatMap((track) => track.packages)) {
      const quizIds = skills.map(({ quizId }) => quizId)
      this.#add(id, 'package', name, level, quizIds)
      for (const { quizId, skillName, level: skillLevel } of skills) this.#add(quizId, 'quiz', skillName, skillLevel)
    }
  }

  #add(listedId: string, kind: Kind, name: string | null, level: string | null, quizIds?: readonly string[]): void {
    const id = listedId.trim()
    /* The service must not add lines to what a person reads. */
    const title = printable(`${name ?? '-'}${level === null ? '' : ` (${level})`}`)
    this.#listed.set(`${kind} ${id}`, { kind, title, name: name ?? '', ...(quizIds !== undefined && { quizIds }) })
    for (const each of new Set([titleKey(name ?? ''), titleKey(title)])) {
      if (each !== '') this.#ids[kind].set(each, (this.#ids[kind].get(each) ?? new Set()).add(id))
    }
  }

  get(kind: Kind, id: string): Listed | undefined {
    return this.#listed.get(`${kind} ${id.trim()}`)
  }

  /** The ids of a kind. */
  idsOf(kind: Kind): readonly string[] {
    return [...this.#listed.keys()].flatMap((key) => (key.startsWith(`${kind} `) ? [key.slice(kind.length + 1)] : []))
  }

  /**
   * The id that a text means: an id, or the exact title of one, whatever its case. A text with a blank that is neither
   * cannot be an id; any other may be one that is not listed.
   */
  idOf(kind: Kind, text: string): { readonly id: string } | { readonly rule: string } {
    const wanted = text.trim()
    if (this.get(kind, wanted) !== undefined) return { id: wanted }
    const titles = this.#ids[kind]
    const [id, ...others] = titles.get(titleKey(wanted)) ?? []
    if (id !== undefined && others.length === 0) return { id }
    if (id !== undefined) return { rule: `is the title of several: use one of the ids ${[id, ...others].join(', ')}` }
    if (!/\s/.test(wanted)) return { id: text }
    const near = nearest(titleKey(wanted), [...titles.keys()])
    const [meant = ''] = titles.get(near ?? '') ?? []
    const listed = this.get(kind, meant)
    const hint = listed === undefined ? '' : ` (did you mean ${listed.title}, ${printable(meant)}?)`
    return { rule: `is neither an id nor the title of a ${kind} that the service lists${hint}` }
  }
}

function titleKey(title: string): string {
  return title.slice(0, MAX_TITLE_LENGTH).normalize('NFKC').trim().replaceAll(/\s+/g, ' ').toLowerCase()
}

const MAX_TITLE_LENGTH = 500
