import measure from 'fast-string-truncated-width'
import type { Stream } from '../io.ts'

const WIDTH = 80

/** The width for text: the terminal's, but never too wide to read. */
export function widthOf({ isTTY, columns }: Stream): number {
  return isTTY ? Math.min(columns, WIDTH) : WIDTH
}

/** Wraps a message for a terminal, which would break lines inside words. */
export function wrapFor(text: string, stream: Stream): string {
  return stream.isTTY ? wrap(text, '', stream.columns) : text
}

/** Wraps text at its spaces, by its width in cells; longer words are not broken. */
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
