import { containing } from './text-patterns.ts'
import type { World } from './world.ts'

/** The tracks that match the filter, each with the packages that can be delivered now. */
export function listTracks(
  world: World,
  { search, trackSlug }: { readonly search?: string | null; readonly trackSlug?: string | null },
) {
  const matches = (search ?? '').trim() === '' ? null : containing(search ?? '')
  return world.tracks
    .filter((track) => typeof trackSlug !== 'string' || track.slug === trackSlug)
    .map((track) => ({ ...track, packages: track.packages.filter((pack) => world.isDeliverable(pack)) }))
    .filter((track) => !matches || [track, ...track.packages].some(({ name }) => matches(name)))
    .map((track) => ({
      ...track,
      packages: track.packages.map((pack) => ({
        ...pack,
        skills: pack.quizIds.map((quizId) => ({ quizId, ...world.quizOf(quizId) })),
      })),
    }))
}
