/** The two ways of answering: the older one says 200 to everything that could be read, the newer one tells more. */
export type MediaType = 'application/json' | 'application/graphql-response+json'

/** The kind of answer that an `accept` header likes best, or `null` where it likes none. */
export function accepted(accept: string | null): MediaType | null {
  if (accept === null || accept.trim() === '') return 'application/json'
  const ranges = accept.split(',').map(rangeOf)
  const best = ranges
    .filter(({ name, quality }) => quality > 0 && ANSWERS.has(name))
    .toSorted((a, b) => b.quality - a.quality)[0]
  return best ? (ANSWERS.get(best.name) ?? null) : null
}

/** Whether a `content-type` says JSON in UTF-8. */
export function isJson(contentType: string | null): boolean {
  const [name, ...parameters] = (contentType ?? '').toLowerCase().split(';')
  if (name?.trim() !== 'application/json') return false
  const charset = parameters.map((parameter) => /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/.exec(parameter)?.[1])
  return charset.every((value) => value === undefined || value === 'utf-8' || value === 'utf8')
}

const ANSWERS: ReadonlyMap<string, MediaType> = new Map([
  ['application/json', 'application/json'],
  ['application/graphql-response+json', 'application/graphql-response+json'],
  ['application/*', 'application/json'],
  ['*/*', 'application/json'],
])

function rangeOf(text: string): { name: string; quality: number } {
  const [name = '', ...parameters] = text.toLowerCase().split(';')
  const quality = parameters.map((parameter) => /^\s*q\s*=\s*([\d.]+)\s*$/.exec(parameter)?.[1]).find(Boolean)
  return { name: name.trim(), quality: quality === undefined ? 1 : Number(quality) }
}
