/* So much of a link has to stay hidden for its end to be shown. */
const LONG_ENOUGH = 16

/** A link as every listing shows it: its host and its end, so that people can compare links. Nobody can open that. */
export function maskLink(link: string): string {
  if (!/^https?:/i.test(link) || !URL.canParse(link)) return '…'
  const { origin, pathname, search, hash } = new URL(link)
  const secret = pathname + search + hash
  return `${origin}/…${secret.length >= LONG_ENOUGH ? secret.slice(-4) : ''}`
}
