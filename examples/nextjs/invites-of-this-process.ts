import { type Invites, openInvites } from './invites'

const held = globalThis as { invites?: Promise<Invites> }

/** Shared by all routes. It is kept outside the module, because Next.js may load a module more than once. */
export function invitesOfThisProcess(): Promise<Invites> {
  /* If that fails, the next request tries again. */
  held.invites ??= openInvites().catch((error: unknown) => {
    delete held.invites
    throw error
  })
  return held.invites
}
