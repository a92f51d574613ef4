import type * as z from 'zod/mini'
import type { inviteInput } from '../contract/invite-input.ts'
import {
  createInvite,
  createPackageInvite,
  type PackageInviteRequest,
  type QuizInviteRequest,
} from '../world/invites.ts'
import { type Caller, type MockInvite, SCOPES } from '../world/model.ts'
import type { World } from '../world/world.ts'
import { inviteRow } from './public-rows.ts'

/** Creates one invite, or those of a package. Throws a `Refusal` where the service refuses. */
export type CreateInvites = (input: z.output<typeof inviteInput>, linkBase: string) => MockInvite[]

/** Creates invites for a tester: by the rules of the service, but without a key, faults and an entry in the request log. */
export function inviteCreation(world: World, onDone: () => void): CreateInvites {
  return (input, linkBase) => {
    const request = input as QuizInviteRequest | PackageInviteRequest
    const context = { caller: TESTER, linkBase }
    const created =
      'packageId' in request
        ? createPackageInvite(world, request, context).invites
        : [createInvite(world, request, context)]
    onDone()
    return created.map((invite) => inviteRow(world, invite))
  }
}

const TESTER: Caller = { kind: 'api-key', scopes: SCOPES }
