import leven from 'leven'

/** A question for a message, or an empty text. */
export function didYouMean(word: string, known: readonly string[]): string {
  const other = likelyWord(word, known)
  return other === undefined ? '' : ` Did you mean ${other}?`
}

/** The known word that was likely meant: the shortest with this beginning, or the nearest. One letter may mean any. */
export function likelyWord(word: string, known: readonly string[]): string | undefined {
  if (word.length < 2) return undefined
  const longer = known.filter((each) => each.toLowerCase().startsWith(word.toLowerCase()))
  return longer.toSorted((a, b) => a.length - b.length)[0] ?? nearest(word, known)
}

/**
 * The known word nearest to a misspelt one; `undefined` if none is near.
 *
 * @param share how much of the known word may be wrong, from 0 to 1; one letter always may
 */
export function nearest(word: string, known: readonly string[], share = 0.4): string | undefined {
  const near = known.flatMap((each) => {
    const most = Math.max(1, Math.floor(each.length * share))
    if (Math.abs(each.length - word.length) > most) return []
    const steps = distance(word.toLowerCase(), each.toLowerCase(), most)
    return steps <= most ? [{ each, steps }] : []
  })
  return near.toSorted((a, b) => a.steps - b.steps)[0]?.each
}

/* The edit distance, exact up to `most`; two swapped letters count as one change. Fast for words that are far apart. */
function distance(from: string, to: string, most: number): number {
  const plain = leven(from, to, { maxDistance: most + 2 })
  /* A swap saves at most one step. */
  if (plain > most + 1) return plain
  const swapped = Array.from(
    from.slice(1),
    (_letter, at) => from.slice(0, at) + from[at + 1] + from[at] + from.slice(at + 2),
  )
  return Math.min(plain, ...swapped.map((each) => 1 + leven(each, to)))
}
