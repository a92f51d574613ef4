import type { Package, Quiz, Track } from './model.ts'
import type { World } from './world.ts'

/** What the listing may be narrowed by. */
export interface TrackFilter {
  readonly search?: string | null
  readonly trackSlug?: string | null
}

/** A package as it is listed: with its skills in full. */
export interface ListedPackage extends Package {
  readonly skills: readonly ListedSkill[]
}

/** A skill as it is listed: its quiz, under the name that the service uses. */
export interface ListedSkill extends Quiz {
  readonly quizId: string
}

/** A track as it is listed: with the packages that can be delivered now. */
export interface ListedTrack extends Track {
  readonly packages: readonly ListedPackage[]
}

/** The tracks that the filter lets through, each with the packages that can be delivered at this moment. */
export function listTracks(world: World, filter: TrackFilter): ListedTrack[] {
  const { search, trackSlug } = filter
  return world.tracks
    .filter((track) => typeof trackSlug !== 'string' || track.slug === trackSlug)
    .map((track) => deliverable(world, track))
    .filter((track) => world.behaviour.undeliverableTrack === 'kept' || track.packages.length > 0)
    .flatMap((track) => found(world, track, search ?? ''))
    .map((track) => listed(world, track))
}

function deliverable(world: World, track: Track): Track {
  return { ...track, packages: track.packages.filter((pack) => world.isDeliverable(pack)) }
}

function found(world: World, track: Track, search: string): Track[] {
  const holds = ({ name }: { readonly name: string }): boolean => name.toLowerCase().includes(search.toLowerCase())
  if (search.trim() === '' || holds(track)) return [track]
  const packages = track.packages.filter(holds)
  if (packages.length === 0) return []
  return [world.behaviour.searchResult === 'matching-packages' ? { ...track, packages } : track]
}

function listed(world: World, track: Track): ListedTrack {
  return { ...track, packages: track.packages.map((pack) => ({ ...pack, skills: skillsOf(world, pack) })) }
}

function skillsOf(world: World, pack: Package): ListedSkill[] {
  return pack.quizIds.map((quizId) => ({ quizId, ...world.quizOf(quizId) }))
}
