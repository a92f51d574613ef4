/** The known word that a misspelt one is closest to, where it is close enough to have been meant. */
export function closest(word: string, known: readonly string[]): string | undefined {
  const ranked = known.map((each) => ({ each, distance: distance(word.toLowerCase(), each.toLowerCase()) }))
  const [best] = ranked.toSorted((a, b) => a.distance - b.distance)
  return best !== undefined && best.distance <= Math.max(2, best.each.length / 3) ? best.each : undefined
}

/** How many letters have to be changed, added or taken away to make one word of the other. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_each, index) => index)
  for (const [i, letter] of Array.from(from).entries()) {
    const next = [i + 1]
    for (const [j, other] of Array.from(to).entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
