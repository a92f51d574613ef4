import { type CertifyError, isCertifyError } from '../../src/index.ts'
import type { ClientChanges } from '../client.ts'
import type { Context } from '../context.ts'

/** What the only read operation says about a key. `accepted` is `undefined` if the service could not be reached. */
export type KeyCheck =
  | { readonly accepted: true; readonly reads: boolean }
  | { readonly accepted: false | undefined; readonly reads: false | undefined; readonly error: CertifyError }

/* A track that does not exist gives the smallest response. The scope to create can be checked only by a create. */
export async function checkKey({ client, io }: Context, changes?: ClientChanges): Promise<KeyCheck> {
  const reader = await client('read', changes)
  try {
    await reader.tracks.list({ trackSlug: '-' }, { signal: io.interruption })
    return { accepted: true, reads: true }
  } catch (error) {
    if (!isCertifyError(error)) throw error
    if (error.code === 'FORBIDDEN') return { accepted: true, reads: false }
    if (error.code === 'UNAUTHENTICATED') return { accepted: false, reads: false, error }
    return { accepted: undefined, reads: undefined, error }
  }
}
