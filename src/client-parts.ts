import type { Authentication } from './validation.ts'
import type { SendOptions } from './call-options.ts'
import type { CreateGuard } from './create-guard.ts'
import type { CertificationInvite, CertificationPackageInvite as PackageInvite } from './generated/schema.ts'
import type { InviteInput, PackageInviteInput } from './operations/inputs.ts'

/** What a campaign needs from its client. */
export interface ClientParts {
  readonly guard: CreateGuard | undefined
  readonly authentication: Authentication
  /** These send directly, bypassing the guard and the input checks. */
  readonly sendInvite: (input: InviteInput, options: SendOptions) => Promise<CertificationInvite>
  readonly sendPackageInvite: (input: PackageInviteInput, options: SendOptions) => Promise<PackageInvite>
}

/* A registered symbol: the client may come from another copy of this package. */
export const PARTS: unique symbol = Symbol.for('certify-sdk/client-parts')

/** The parts of a client; `undefined` for an object that only looks like one. */
export function partsOfClient(client: object): ClientParts | undefined {
  return (client as Record<symbol, ClientParts | undefined>)[PARTS]
}
