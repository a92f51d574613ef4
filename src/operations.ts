import {
  CreateInviteDocument,
  type CreateInviteMutationVariables,
  CreatePackageInviteDocument,
  type CreatePackageInviteMutationVariables,
  PackageTracksDocument,
} from './generated/operations.ts'
import { createInviteData, createPackageInviteData, packageTracksData } from './results.ts'
import type { Output } from './schema.ts'

/** Lists package tracks. Source: specification 4.1. */
export const packageTracks = {
  name: 'tracks.list',
  kind: 'query',
  field: 'developerCertificationPackageTracks',
  hasOneField: true,
  document: PackageTracksDocument,
  data: packageTracksData,
} as const

/** Creates one invite. Source: specification 4.2; the reasons: part 7. */
export const createInvite = {
  name: 'invites.create',
  kind: 'mutation',
  field: 'developerCreateCertificationInvite',
  hasOneField: true,
  document: CreateInviteDocument,
  data: createInviteData,
  invites: (
    { developerCreateCertificationInvite: invite }: Output<typeof createInviteData>,
    { input }: CreateInviteMutationVariables,
  ) => [{ ...invite, quizId: input.quizId, email: input.candidate.email }],
  possibleReasons: [
    'the quiz is not READY (enabled) at the moment',
    'the candidate has an attempt in progress for this quiz',
    'the candidate holds a certification for this quiz that is valid now',
  ],
} as const

/** Creates one invite for every skill of a package, or none. Source: specification 4.3; the reasons: part 7. */
export const createPackageInvite = {
  name: 'packageInvites.create',
  kind: 'mutation',
  field: 'developerCreateCertificationPackageInvite',
  hasOneField: true,
  document: CreatePackageInviteDocument,
  data: createPackageInviteData,
  invites: (
    { developerCreateCertificationPackageInvite: pack }: Output<typeof createPackageInviteData>,
    { input }: CreatePackageInviteMutationVariables,
  ) => pack.invites.map((invite) => ({ ...invite, email: input.candidate.email })),
  possibleReasons: [
    'the candidate has an attempt in progress, or a certification that is valid now, for a skill of the package',
    'a skill of the package is no longer enabled',
  ],
} as const
