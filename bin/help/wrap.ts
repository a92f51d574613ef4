import type { Stream } from '../io.ts'

const WIDTH = 80

/** How wide a text may be: as the terminal, and never so wide that it is hard to read. */
export function widthOf({ isTTY, columns }: Stream): number {
  return isTTY ? Math.min(columns, WIDTH) : WIDTH
}

/** A message as a stream needs it: broken at its spaces where a terminal would break it inside of a word. */
export function broken(text: string, stream: Stream): string {
  return stream.isTTY ? wrap(text, '', stream.columns) : text
}

/** Breaks a text into lines of a width, at its spaces; a word that is longer stays whole. */
export function wrap(text: string, indent = '', width = WIDTH): string {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const line = lines.at(-1)
    if (line !== undefined && line.length + 1 + word.length <= width) lines.push(`${lines.pop()} ${word}`)
    else lines.push(lines.length === 0 ? word : indent + word)
  }
  return lines.join('\n')
}
