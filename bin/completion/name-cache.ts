import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PackageTrack } from '../../src/index.ts'
import type { Connection } from '../config/connection.ts'
import { cacheFolder } from '../config/paths.ts'
import { writeJson } from '../config/store.ts'
import type { Io } from '../io.ts'

/** A word that a shell can complete, and what it means. */
export interface Completion {
  readonly value: string
  readonly about: string
}

/** The names of a service for the command line. */
export type CachedNames = Readonly<Record<'slug' | 'package-id' | 'quiz-id', readonly Completion[]>>

interface CacheFile extends CachedNames {
  readonly baseUrl: string
  readonly savedAt: number
}

/* A working day. */
const LIFE_MS = 12 * 3_600_000

/** Saves the names of listed tracks, so that completing a word needs no network. A failure to write is ignored. */
export function cacheNames(io: Io, { baseUrl }: Connection, tracks: readonly PackageTrack[]): void {
  const packages = tracks.flatMap((track) => track.packages)
  const skills = packages.flatMap((pack) => pack.skills)
  const file: CacheFile = {
    baseUrl: baseUrl.value ?? '',
    savedAt: io.now(),
    slug: unique(tracks.map(({ slug, name }) => ({ value: slug, about: name ?? '' }))),
    'package-id': unique(packages.map(({ id, name }) => ({ value: id, about: name ?? '' }))),
    'quiz-id': unique(
      skills.map(({ quizId, skillName, level }) => ({
        value: quizId,
        about: [skillName, level].filter(Boolean).join(', '),
      })),
    ),
  }
  try {
    writeJson(pathOf(io), file, false)
  } catch {
    /* The home folder may be read-only. */
  }
}

/** The saved names of this service, if they are recent. */
export function cachedNames(io: Io, baseUrl: string | undefined): Partial<CachedNames> {
  try {
    const file = JSON.parse(readFileSync(pathOf(io), 'utf8')) as CacheFile
    const isRecent = io.now() - file.savedAt < LIFE_MS
    return isRecent && file.baseUrl === baseUrl ? file : {}
  } catch {
    return {}
  }
}

function pathOf({ env }: Io): string {
  return join(cacheFolder(env), 'names.json')
}

function unique(names: readonly Completion[]): readonly Completion[] {
  return [...new Map(names.map((each) => [each.value, each])).values()]
}
