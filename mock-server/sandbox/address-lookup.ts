/** The addresses of a host name; throws where it has none. */
export type AddressLookup = (hostname: string) => Promise<readonly string[]>

/**
 * All addresses that this machine finds for a name. A browser has no look-up: there, names that end with `.localhost` never
 * leave the machine.
 */
export const lookUpAddresses: AddressLookup = async (hostname) => {
  const dns = await import('node:dns/promises').catch(() => null)
  if (dns === null) return ['127.0.0.1']
  return (await dns.lookup(hostname, { all: true })).map(({ address }) => address)
}

/** Whether this is an address of this machine alone. */
export function isLoopbackAddress(address: string): boolean {
  return /^(::ffff:)?127(\.\d+){3}$/.test(address) || address === '::1'
}
