import { parseAccept } from 'hono/utils/accept'

/** The media types of an answer. With the older one, the status of every readable request is 200. */
export type MediaType = 'application/json' | 'application/graphql-response+json'

/** The media type that an `accept` header prefers, or `null` if it accepts neither. */
export function accepted(accept: string | null): MediaType | null {
  if (accept === null || accept.trim() === '') return 'application/json'
  const ranges = parseAccept(accept).map(({ type, q }) => ({ name: type.toLowerCase(), quality: q }))
  const acceptable = ANSWERS.flatMap((type) => {
    /* The most specific range that matches a type decides (RFC 9110, 12.5.1), even with q=0. */
    const range = [type, 'application/*', '*/*'].flatMap((name) => ranges.find((each) => each.name === name) ?? [])[0]
    return range !== undefined && range.quality > 0 ? [{ type, rank: ranges.indexOf(range) }] : []
  })
  return acceptable.toSorted((a, b) => a.rank - b.rank)[0]?.type ?? null
}

/** Whether a `content-type` says JSON in UTF-8. */
export function isJson(contentType: string | null): boolean {
  const [name, ...parameters] = (contentType ?? '').toLowerCase().split(';')
  if (name?.trim() !== 'application/json') return false
  const charset = parameters.map((parameter) => /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/.exec(parameter)?.[1])
  return charset.every((value) => value === undefined || value === 'utf-8' || value === 'utf8')
}

const ANSWERS = ['application/json', 'application/graphql-response+json'] as const
