import { type Invites, openInvites } from './invites'

const held = globalThis as { invites?: Promise<Invites> }

/** Every route shares one. It is kept outside of the module, because Next.js may load a module more than once. */
export function invitesOfThisProcess(): Promise<Invites> {
  held.invites ??= openInvites()
  return held.invites
}
