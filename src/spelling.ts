import leven from 'leven'

/** The known word that a misspelt one is closest to, where it is close enough to have been meant. */
export function closest(word: string, known: readonly string[]): string | undefined {
  const ranked = known.map((each) => ({ each, distance: leven(word.toLowerCase(), each.toLowerCase()) }))
  const [best] = ranked.toSorted((a, b) => a.distance - b.distance)
  return best !== undefined && best.distance <= Math.max(2, best.each.length / 3) ? best.each : undefined
}
