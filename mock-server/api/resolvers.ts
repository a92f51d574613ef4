import type { OperationName } from '../generated/operation-name.ts'
import { statusOf } from '../world/attempts.ts'
import { type Credentials, callerOf } from '../world/authentication.ts'
import { isoTime } from '../world/clock.ts'
import {
  createInvite,
  createPackageInvite,
  type PackageInviteRequest,
  type QuizInviteRequest,
} from '../world/invites.ts'
import type { Caller, Invite, Scope } from '../world/model.ts'
import { Refusal } from '../world/refusal.ts'
import { listTracks, type TrackFilter } from '../world/track-listing.ts'
import type { World } from '../world/world.ts'

export interface Context {
  readonly world: World
  readonly credentials: Credentials
  readonly linkBase: string
}

/** The operations, by name: each authenticates the caller, checks the scope, and leaves the rest to the world. */
export const operations = {
  developerCertificationPackageTracks(filter: TrackFilter, { world, credentials }: Context) {
    callerWith('CERTIFICATION_PACKAGE_READ', world, credentials)
    return answer(world, listTracks(world, filter))
  },

  developerCreateCertificationInvite(
    { input }: { readonly input: QuizInviteRequest },
    { world, credentials, linkBase }: Context,
  ) {
    const caller = callerWith('CERTIFICATION_INVITE_CREATE', world, credentials)
    return answer(world, inviteResult(world, createInvite(world, input, { caller, linkBase })))
  },

  developerCreateCertificationPackageInvite(
    { input }: { readonly input: PackageInviteRequest },
    { world, credentials, linkBase }: Context,
  ) {
    const caller = callerWith('CERTIFICATION_INVITE_CREATE', world, credentials)
    const { pack, invites } = createPackageInvite(world, input, { caller, linkBase })
    const results = invites.map((invite) => inviteResult(world, invite))
    return answer(world, { packageId: pack.id, packageName: pack.name, invites: results })
  },
} satisfies Record<OperationName, unknown>

function callerWith(scope: Scope, world: World, credentials: Credentials): Caller {
  const caller = callerOf(world, credentials)
  if (caller.scopes.includes(scope)) return caller
  throw new Refusal('FORBIDDEN', `This needs the scope ${scope}.`)
}

/** An invite with the status that it has now, and its times as the service writes them. */
function inviteResult(world: World, invite: Invite) {
  return { ...invite, status: statusOf(world, invite), expiresAt: isoTime(invite.expiresAt) }
}

/* Without what only describes, where the switch says so. */
function answer<Result>(world: World, result: Result): Result {
  if (world.behaviour.nullDescriptions === 'never') return result
  return JSON.parse(JSON.stringify(result), withoutDescription) as Result
}

function withoutDescription(field: string, value: unknown): unknown {
  return DESCRIPTIVE.has(field) ? null : value
}

const DESCRIPTIVE: ReadonlySet<string> = new Set(
  'name level description packageName skillName durationMinutes enabledLanguages conceptsTested status expiresAt emailSent'.split(
    ' ',
  ),
)
