/* In a shorter secret, showing the end would reveal too much. */
const LONG_ENOUGH = 16

/** A link as listings show it: its host and its end, enough for people to compare links, but not to open one. */
export function maskLink(link: string): string {
  if (!/^https?:/i.test(link) || !URL.canParse(link)) return '…'
  const { origin, pathname, search, hash } = new URL(link)
  const secret = pathname + search + hash
  return `${origin}/…${secret.length >= LONG_ENOUGH ? secret.slice(-4) : ''}`
}

/** The end of a key, for people to compare, if enough of it stays hidden. */
export function maskKey(key: string): string {
  return key.length >= LONG_ENOUGH ? `…${key.slice(-4)}` : '…'
}
