/* A shorter secret would not be hidden by hiding the rest. */
const LONG_ENOUGH = 16

/** A link as listings show it: its host and its end, so that people can compare links. It cannot be opened. */
export function maskLink(link: string): string {
  if (!/^https?:/i.test(link) || !URL.canParse(link)) return '…'
  const { origin, pathname, search, hash } = new URL(link)
  const secret = pathname + search + hash
  return `${origin}/…${secret.length >= LONG_ENOUGH ? secret.slice(-4) : ''}`
}

/** A key as people compare it: its end, if enough of it stays hidden. */
export function maskKey(key: string): string {
  return key.length >= LONG_ENOUGH ? `…${key.slice(-4)}` : '…'
}
