import type { FaultRule } from '../contract/fault-rules.ts'
import { statusOf } from '../world/attempts.ts'
import { type Credentials, callerOf } from '../world/authentication.ts'
import { isoTime } from '../world/clock.ts'
import {
  createInvite,
  createPackageInvite,
  type PackageInviteRequest,
  type QuizInviteRequest,
} from '../world/invites.ts'
import type { Caller, Invite, InviteStatus, Scope } from '../world/model.ts'
import { Refusal } from '../world/refusal.ts'
import { type ListedTrack, listTracks, type TrackFilter } from '../world/track-listing.ts'
import type { World } from '../world/world.ts'

/** What a request brings to every operation in it. */
export interface Context {
  readonly world: World
  readonly credentials: Credentials
  readonly linkBase: string
}

/** The operations, by name: each finds out who calls, asks for its scope, and leaves the rest to the world. */
export const operations: Operations & Record<NonNullable<FaultRule['operation']>, unknown> = {
  developerCertificationPackageTracks(filter, { world, credentials }) {
    callerWith('CERTIFICATION_PACKAGE_READ', world, credentials)
    return listTracks(world, filter)
  },

  developerCreateCertificationInvite({ input }, { world, credentials, linkBase }) {
    const caller = callerWith('CERTIFICATION_INVITE_CREATE', world, credentials)
    return answered(world, createInvite(world, input, { caller, linkBase }))
  },

  developerCreateCertificationPackageInvite({ input }, { world, credentials, linkBase }) {
    const caller = callerWith('CERTIFICATION_INVITE_CREATE', world, credentials)
    const { pack, invites } = createPackageInvite(world, input, { caller, linkBase })
    return { packageId: pack.id, packageName: pack.name, invites: invites.map((invite) => answered(world, invite)) }
  },
}

interface Operations {
  developerCertificationPackageTracks(filter: TrackFilter, context: Context): ListedTrack[]
  developerCreateCertificationInvite(args: { readonly input: QuizInviteRequest }, context: Context): AnsweredInvite
  developerCreateCertificationPackageInvite(
    args: { readonly input: PackageInviteRequest },
    context: Context,
  ): { packageId: string; packageName: string; invites: AnsweredInvite[] }
}

interface AnsweredInvite extends Omit<Invite, 'expiresAt'> {
  readonly status: InviteStatus
  readonly expiresAt: string
}

function callerWith(scope: Scope, world: World, credentials: Credentials): Caller {
  const caller = callerOf(world, credentials)
  if (caller.scopes.includes(scope)) return caller
  throw new Refusal('FORBIDDEN', `This needs the scope ${scope}.`)
}

function answered(world: World, invite: Invite): AnsweredInvite {
  return { ...invite, status: statusOf(world, invite), expiresAt: isoTime(invite.expiresAt) }
}
