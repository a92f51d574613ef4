import type { CertifyError } from '../../src/index.ts'
import type { ClientChanges, Context } from '../context.ts'

/** What the one operation that only reads says of a key. */
export interface Access {
  /** Whether the service knows the key; `undefined` where it could not be asked. */
  readonly accepted: boolean | undefined
  /** Whether the key may list tracks: the scope CERTIFICATION_PACKAGE_READ. */
  readonly reads: boolean | undefined
  /** Why it could not be asked, or what it refused. */
  readonly error?: CertifyError
}

/*
 * One track that does not exist: the smallest answer there is. Whether a key may create is not asked: the only way to
 * find out is to create.
 */
export async function checkKey({ client, io }: Context, more?: ClientChanges): Promise<Access> {
  const reader = await client('read', more)
  const { settle } = await import('../../src/index.ts')
  const { ok, error } = await settle(reader.tracks.list({ trackSlug: '-' }, { signal: io.interruption }))
  if (ok) return { accepted: true, reads: true }
  if (error.code === 'FORBIDDEN') return { accepted: true, reads: false, error }
  if (error.code === 'UNAUTHENTICATED') return { accepted: false, reads: false, error }
  return { accepted: undefined, reads: undefined, error }
}

/** A key masked, so that people can compare keys: its end, where enough of it stays hidden. */
export function masked(key: string): string {
  return key.length >= 16 ? `…${key.slice(-4)}` : '…'
}
