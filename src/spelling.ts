/** The known word that is closest to a misspelt one, if it is close enough. */
export function closest(word: string, known: readonly string[]): string | undefined {
  const ranked = known.map((each) => ({ each, distance: distance(word.toLowerCase(), each.toLowerCase()) }))
  const [best] = ranked.toSorted((a, b) => a.distance - b.distance)
  return best !== undefined && best.distance <= Math.max(2, best.each.length / 3) ? best.each : undefined
}

/* The Levenshtein distance. A library for it would be four times as large. */
function distance(from: string, to: string): number {
  const row = Array.from({ length: to.length + 1 }, (_each, index) => index)
  for (let i = 1; i <= from.length; i += 1) {
    let diagonal = i - 1
    row[0] = i
    for (let j = 1; j <= to.length; j += 1) {
      const above = row[j] ?? 0
      row[j] = Math.min(diagonal + Number(from[i - 1] !== to[j - 1]), above + 1, (row[j - 1] ?? 0) + 1)
      diagonal = above
    }
  }
  return row[to.length] ?? 0
}
