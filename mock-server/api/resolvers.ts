import { type OperationName, SCOPE_OF } from '../generated/operations.ts'
import type { MutationResolvers, QueryResolvers } from '../generated/resolvers.ts'
import { isoTime } from '../world/clock.ts'
import { createInvite, createPackageInvite } from '../world/invites.ts'
import { type Caller, type Invite, SCOPES } from '../world/model.ts'
import { Refusal } from '../world/refusal.ts'
import { listTracks } from '../world/track-listing.ts'
import type { World } from '../world/world.ts'
import type { Credentials } from './exchange.ts'
import { DESCRIPTIVE_FIELDS } from './schema.ts'

/** The operations, by name: each authenticates the caller, checks the scope, and leaves the rest to the world. */
export const operations = {
  developerCertificationPackageTracks(filter, { world, credentials }) {
    permitted('developerCertificationPackageTracks', world, credentials)
    return described(world, listTracks(world, filter))
  },

  developerCreateCertificationInvite({ input }, { world, credentials, linkBase }) {
    const caller = permitted('developerCreateCertificationInvite', world, credentials)
    return described(world, createdInvite(createInvite(world, input, { caller, linkBase })))
  },

  developerCreateCertificationPackageInvite({ input }, { world, credentials, linkBase }) {
    const caller = permitted('developerCreateCertificationPackageInvite', world, credentials)
    const { pack, invites } = createPackageInvite(world, input, { caller, linkBase })
    return described(world, { packageId: pack.id, packageName: pack.name, invites: invites.map(createdInvite) })
  },
} satisfies Required<QueryResolvers & MutationResolvers>

/** The caller, if it has the scope of the operation. */
function permitted(name: OperationName, world: World, credentials: Credentials): Caller {
  const caller = callerOf(world, credentials)
  const scope = SCOPE_OF[name]
  if (caller.scopes.includes(scope)) return caller
  throw new Refusal('FORBIDDEN', `This needs the scope ${scope}.`)
}

/** The caller of a request: its key decides, if it has one. */
function callerOf({ apiKeys, behaviour, sessionToken: known }: World, { apiKey, sessionToken }: Credentials): Caller {
  if (apiKey !== null) {
    const found = apiKeys.find(({ key }) => key === apiKey)
    if (!found) throw new Refusal('UNAUTHENTICATED', 'This API key is not known.')
    return { kind: 'api-key', scopes: found.scopes }
  }
  if (sessionToken === null) {
    throw new Refusal('UNAUTHENTICATED', 'No credentials: send an API key in the x-api-key header.')
  }
  if (sessionToken !== known) throw new Refusal('UNAUTHENTICATED', 'This admin session is not known.')
  return { kind: 'session', scopes: behaviour.sessionScopes === 'all' ? SCOPES : behaviour.sessionScopes }
}

/** An invite that was created or was open: it is PENDING, the only status that the service shows. */
function createdInvite(invite: Invite) {
  return { ...invite, status: 'PENDING' as const, expiresAt: isoTime(invite.expiresAt) }
}

/** The result, without the descriptive fields if the switch says so. */
function described<Result>(world: World, result: Result): Result {
  if (world.behaviour.nullDescriptions === 'never') return result
  return JSON.parse(JSON.stringify(result), (field, value: unknown) =>
    DESCRIPTIVE_FIELDS.has(field) ? null : value,
  ) as Result
}
