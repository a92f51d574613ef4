import measure from 'fast-string-truncated-width'
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

/** Breaks a text into lines of a width in cells, at its spaces; a word that is longer stays whole. */
export function wrap(text: string, indent = '', width = WIDTH): string {
  const lines: string[] = []
  let cells = 0
  for (const word of text.split(' ')) {
    const size = measure(word).width
    if (lines.length > 0 && cells + 1 + size <= width) {
      lines.push(`${lines.pop()} ${word}`)
      cells += 1 + size
    } else {
      lines.push(lines.length === 0 ? word : indent + word)
      cells = lines.length === 1 ? size : indent.length + size
    }
  }
  return lines.join('\n')
}
