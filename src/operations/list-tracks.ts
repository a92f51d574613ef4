import { z } from 'zod/mini'
import {
  PackageTracksDocument,
  type PackageTracksQuery,
  type PackageTracksQueryVariables,
} from '../generated/operations.ts'
import { matchesGenerated } from '../generated-types.ts'
import { closedObject, isString, nullable, once, openObject, string } from '../validation.ts'
import { type Level, notBlank, nullableText, optionalText } from './invite-fields.ts'
import { defineOperation } from './operation.ts'

/** Which tracks to list. A track has to match every field that is set. Source: specification 4.1. */
export interface TrackFilter {
  /** Text to find in the names of tracks and packages. */
  readonly search?: string | undefined
  /** The slug of one track. */
  readonly trackSlug?: string | undefined
}

/** One skill of a package and the quiz that tests it. A field that only describes it may be `null`. Source: specification, part 2. */
export interface Skill {
  /**
   * The quiz of this skill. Informational: a package invite needs only {@link Package.id}, and {@link InviteInput.quizId} comes
   * from the catalog, for which the specification shows no operation. So this is where ids can be seen.
   */
  readonly quizId: string
  readonly skillName: string | null
  readonly level: Level | null
  /** The time limit of an attempt, in minutes. */
  readonly durationMinutes: number | null
  /** Language codes. */
  readonly enabledLanguages: readonly string[] | null
  readonly conceptsTested: readonly string[] | null
}

/** A group of skills at one level. A field that only describes it may be `null`. Source: specification, part 2. */
export interface Package {
  /** The identifier for a package invite. */
  readonly id: string
  readonly name: string | null
  readonly level: Level | null
  readonly description: string | null
  readonly skills: readonly Skill[]
}

/** A curated progression of up to four packages. Source: specification, part 2. */
export interface PackageTrack {
  readonly id: string
  readonly name: string | null
  readonly slug: string
  /** Only packages that are deliverable now. */
  readonly packages: readonly Package[]
}

const dataOf = () => {
  const strings = nullable<readonly string[]>(
    (value) => Array.isArray(value) && value.every(isString),
    'must be a list of strings',
  )
  const skill = openObject({
    quizId: string(),
    skillName: nullableText(),
    level: nullableText(),
    durationMinutes: nullable<number>((value) => typeof value === 'number', 'must be a number'),
    enabledLanguages: strings,
    conceptsTested: strings,
  })
  const trackPackage = openObject({
    id: string(),
    name: nullableText(),
    level: nullableText(),
    description: nullableText(),
    skills: z.array(skill, 'must be a list'),
  })
  const packageTrack = openObject({
    id: string(),
    name: nullableText(),
    slug: string(),
    packages: z.array(trackPackage, 'must be a list'),
  })
  return matchesGenerated<PackageTracksQuery>()(
    openObject({ developerCertificationPackageTracks: z.array(packageTrack, 'must be a list') }),
  )
}

const filterOf = () =>
  matchesGenerated<PackageTracksQueryVariables>()(closedObject({ search: optionalText(), trackSlug: optionalText() }))

const filter = once(filterOf)
const data = once(dataOf)

/** Lists package tracks. Source: specification 4.1. */
export const listTracks = defineOperation({
  name: 'tracks.list',
  kind: 'query',
  field: 'developerCertificationPackageTracks',
  hasOneField: true,
  scope: 'CERTIFICATION_PACKAGE_READ',
  document: PackageTracksDocument,
  input: filter,
  variables: (given) => given,
  data,
})

const oneTrack = once(() => closedObject({ slug: notBlank() }))

/** The same operation for one track. */
export const getTrack = defineOperation({
  ...listTracks,
  name: 'tracks.get',
  input: oneTrack,
  variables: ({ slug }) => ({ trackSlug: slug }),
})
