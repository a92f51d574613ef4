import leven from 'leven'

/** A question for a message, or an empty text. */
export function didYouMean(word: string, known: readonly string[]): string {
  const other = likelyWord(word, known)
  return other === undefined ? '' : ` Did you mean ${other}?`
}

/** The known word that may be meant: the shortest with this beginning, or the nearest to a misspelt word. */
export function likelyWord(word: string, known: readonly string[]): string | undefined {
  const longer = known.filter((each) => word.length > 1 && each.toLowerCase().startsWith(word.toLowerCase()))
  return longer.toSorted((a, b) => a.length - b.length)[0] ?? nearest(word, known)
}

/**
 * The known word that is nearest to a misspelt one; `undefined` if none is near.
 *
 * @param share how much of the known word may be wrong, from 0 to 1; one letter always may
 */
export function nearest(word: string, known: readonly string[], share = 0.4): string | undefined {
  const ranked = known.map((each) => ({ each, steps: distance(word.toLowerCase(), each.toLowerCase()) }))
  const [best] = ranked.toSorted((a, b) => a.steps - b.steps)
  return best !== undefined && best.steps <= Math.max(1, Math.floor(best.each.length * share)) ? best.each : undefined
}

/* The edit distance; two swapped letters count as one change. */
function distance(from: string, to: string): number {
  const swapped = Array.from(
    from.slice(1),
    (_letter, at) => from.slice(0, at) + from[at + 1] + from[at] + from.slice(at + 2),
  )
  return Math.min(leven(from, to), ...swapped.map((each) => 1 + leven(each, to)))
}
