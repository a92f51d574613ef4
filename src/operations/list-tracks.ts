import {
  PackageTracksDocument,
  type PackageTracksQuery,
  type PackageTracksQueryVariables,
} from '../generated/operations.ts'
import { matchesGenerated } from '../generated-types.ts'
import { closedObject, isString, list, nullable, once, openObject, string } from '../validation.ts'
import { notBlank, nullableText, optionalText } from './invite-fields.ts'
import { defineOperation } from './operation.ts'

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
    skills: list(skill),
  })
  const packageTrack = openObject({
    id: string(),
    name: nullableText(),
    slug: string(),
    packages: list(trackPackage),
  })
  return matchesGenerated<PackageTracksQuery>()(openObject({ developerCertificationPackageTracks: list(packageTrack) }))
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
