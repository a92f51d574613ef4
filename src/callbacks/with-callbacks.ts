import type { CallOptions, CertifyClient } from '../index.ts'
import type { CallbackUrls } from './callback-urls.ts'

/**
 * A client whose creates have a `callbackUrl` of their own, minted for the reference of the call. A `callbackUrl` that you set
 * yourself stays.
 *
 * Give it to `withLedger` or to a campaign: then the token has the reference of the entry in the ledger.
 *
 * @example
 * ```ts
 * const guarded = withLedger(withCallbacks(client, urls), ledger, { account: 'acme-production' })
 * ```
 */
export function withCallbacks(client: CertifyClient, urls: CallbackUrls): CertifyClient {
  const minting =
    <Input extends { readonly callbackUrl?: string | undefined }, Result>(
      create: (input: Input, options?: CallOptions) => Promise<Result>,
    ) =>
    async (input: Input, options: CallOptions = {}): Promise<Result> => {
      const { reference = crypto.randomUUID() } = options
      if (!isOpenObject(input)) return create(input, options)
      return create({ ...input, callbackUrl: await urls.mint(reference) }, { ...options, reference })
    }
  return {
    endpoint: client.endpoint,
    limits: client.limits,
    tracks: client.tracks,
    invites: { ...client.invites, create: minting(client.invites.create) },
    packageInvites: { ...client.packageInvites, create: minting(client.packageInvites.create) },
    request: client.request,
  }
}

/* The client itself refuses what is no object. */
function isOpenObject(input: { readonly callbackUrl?: string | undefined } | null): boolean {
  return typeof input === 'object' && input !== null && input.callbackUrl === undefined
}
