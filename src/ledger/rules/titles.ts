import type { CertificationPackageTrack as PackageTrack } from '../../generated/schema.ts'
import { baseUrlKey, packageSubject, quizSubject } from './key.ts'
import type { NewRecord } from './record.ts'

/** The titles and levels of packages and quizzes, as services have listed them to the clients of a ledger. */
export class Titles {
  readonly #listed = new Map<string, Pick<NewRecord, 'title' | 'level'>>()

  /** Learns from a list, and returns what it has titles of. */
  learn(baseUrl: string, tracks: readonly PackageTrack[]): readonly string[] {
    const service = baseUrlKey(baseUrl)
    const learned: string[] = []
    const add = (subject: string, title: string | null, level: string | null) => {
      if (title === null || title.trim() === '') return
      this.#listed.set(`${service} ${subject}`, { title, ...(level !== null && { level }) })
      learned.push(subject)
    }
    for (const { id, name, level, skills } of tracks.flatMap(({ packages }) => packages)) {
      add(packageSubject(id), name, level)
      for (const { quizId, skillName, level: own } of skills) add(quizSubject(quizId), skillName, own)
    }
    return learned
  }

  /** A record with its title, if that is known. */
  titled<Kept extends NewRecord>(record: Kept): Kept {
    const subject = untitledIn(record)
    return subject === null ? record : { ...record, ...this.#listed.get(`${record.scope.baseUrl} ${subject}`) }
  }
}

/** What a record without a title is for; `null` if it has one. */
export function untitledIn({ title, packageId, quizId }: NewRecord): string | null {
  if (title !== undefined) return null
  if (packageId !== undefined) return packageSubject(packageId)
  return quizId === undefined ? null : quizSubject(quizId)
}
