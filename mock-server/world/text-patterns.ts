/**
 * Returns a test for whether texts contain another one, in any case. Letters are compared one by one, by Unicode's
 * simple case folding. Lower-casing a whole text would change some letters by position, such as a sigma at the end of a
 * word.
 */
export function containing(sought: string): (text: string) => boolean {
  /* A longer pattern can be too large for a regular expression. Nothing that is searched contains so long a text. */
  if (sought.length > MAX_SOUGHT_LENGTH) return () => false
  const pattern = new RegExp(literalPattern(sought), 'iu')
  return (text) => pattern.test(text)
}

const MAX_SOUGHT_LENGTH = 1000

/** The source of a regular expression for exactly this text. */
export function literalPattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
}
