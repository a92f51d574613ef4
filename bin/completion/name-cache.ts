import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PackageTrack } from '../../src/index.ts'
import type { Connection } from '../config/connection.ts'
import { cacheFolder } from '../config/paths.ts'
import { writeJson } from '../config/store.ts'
import type { Io } from '../io.ts'

/** A word that can be completed, and what it stands for. */
export interface Known {
  readonly value: string
  readonly about: string
}

/** What a service has that can be named on the command line. */
export type CachedNames = Readonly<Record<'slug' | 'package-id' | 'quiz-id', readonly Known[]>>

interface Remembered extends CachedNames {
  readonly baseUrl: string
  readonly savedAt: number
}

/* Long enough for a day's work; what is gone by then is refused by the service with its own words. */
const LIFE_MS = 12 * 3_600_000

/** Keeps the names of what was listed, so that completing a word needs no network. It is no failure where that fails. */
export function remember(io: Io, { baseUrl }: Connection, tracks: readonly PackageTrack[]): void {
  const packages = tracks.flatMap((track) => track.packages)
  const skills = packages.flatMap((pack) => pack.skills)
  const remembered: Remembered = {
    baseUrl: baseUrl.value ?? '',
    savedAt: io.now(),
    slug: unique(tracks.map(({ slug, name }) => ({ value: slug, about: name }))),
    'package-id': unique(packages.map(({ id, name }) => ({ value: id, about: name }))),
    'quiz-id': unique(
      skills.map(({ quizId, skillName, level }) => ({ value: quizId, about: `${skillName}, ${level}` })),
    ),
  }
  try {
    writeJson(fileOf(io), remembered, false)
  } catch {
    /* A home that cannot be written to. */
  }
}

/** What was listed lately of this service; nothing where that is not known. */
export function cachedNames(io: Io, baseUrl: string | undefined): Partial<CachedNames> {
  try {
    const remembered = JSON.parse(readFileSync(fileOf(io), 'utf8')) as Remembered
    const isFresh = io.now() - remembered.savedAt < LIFE_MS
    return isFresh && remembered.baseUrl === baseUrl ? remembered : {}
  } catch {
    return {}
  }
}

function fileOf({ env }: Io): string {
  return join(cacheFolder(env), 'names.json')
}

function unique(names: readonly Known[]): readonly Known[] {
  return [...new Map(names.map((each) => [each.value, each])).values()]
}
