/** Breaks a text into lines of a width, at its spaces; a word that is longer stays whole. */
export function wrap(text: string, indent = '', width = 80): string {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const line = lines.at(-1)
    if (line !== undefined && line.length + 1 + word.length <= width) lines.push(`${lines.pop()} ${word}`)
    else lines.push(lines.length === 0 ? word : indent + word)
  }
  return lines.join('\n')
}
