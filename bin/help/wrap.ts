const WIDTH = 80

/** Breaks a text into lines that fit a terminal of eighty columns. */
export function wrap(text: string, indent = ''): string {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const line = lines.at(-1)
    if (line !== undefined && line.length + 1 + word.length <= WIDTH) lines.push(`${lines.pop()} ${word}`)
    else lines.push(lines.length === 0 ? word : indent + word)
  }
  return lines.join('\n')
}
