import { containing } from './text-patterns.ts'
import type { Package, Quiz, Track } from './model.ts'
import type { World } from './world.ts'

export interface TrackFilter {
  readonly search?: string | null
  readonly trackSlug?: string | null
}

export interface ListedPackage extends Package {
  readonly skills: readonly ListedSkill[]
}

/** A skill in the listing: its quiz, under the field name of the service. */
export interface ListedSkill extends Quiz {
  readonly quizId: string
}

export interface ListedTrack extends Track {
  readonly packages: readonly ListedPackage[]
}

/** The tracks that match the filter, each with the packages that can be delivered now. */
export function listTracks(world: World, filter: TrackFilter): ListedTrack[] {
  const { search, trackSlug } = filter
  const matches = (search ?? '').trim() === '' ? null : containing(search ?? '')
  return world.tracks
    .filter((track) => typeof trackSlug !== 'string' || track.slug === trackSlug)
    .map((track) => withDeliverablePackages(world, track))
    .filter((track) => !matches || [track, ...track.packages].some(({ name }) => matches(name)))
    .map((track) => withSkills(world, track))
}

function withDeliverablePackages(world: World, track: Track): Track {
  return { ...track, packages: track.packages.filter((pack) => world.isDeliverable(pack)) }
}

function withSkills(world: World, track: Track): ListedTrack {
  return { ...track, packages: track.packages.map((pack) => ({ ...pack, skills: skillsOf(world, pack) })) }
}

function skillsOf(world: World, pack: Package): ListedSkill[] {
  return pack.quizIds.map((quizId) => ({ quizId, ...world.quizOf(quizId) }))
}
