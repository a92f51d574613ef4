import leven from 'leven'

/** A question for a message: the known name that is nearest to a misspelt one; an empty text if none is near. */
export function didYouMean(name: string, known: readonly string[]): string {
  /* Comparing two texts takes time in proportion to the product of their lengths. */
  if (name.length > MAX_NAME_LENGTH) return ''
  const longer = known.find((each) => name.length > 2 && each.toLowerCase().startsWith(name.toLowerCase()))
  if (longer !== undefined) return `. Did you mean ${longer}?`
  const ranked = known.map((each) => ({ each, steps: leven(name.toLowerCase(), each.toLowerCase()) }))
  const [best] = ranked.toSorted((a, b) => a.steps - b.steps)
  const isNear = best !== undefined && best.steps <= Math.max(1, Math.floor(best.each.length / 3))
  return isNear ? `. Did you mean ${best.each}?` : ''
}

const MAX_NAME_LENGTH = 100
