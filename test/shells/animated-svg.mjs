// @ts-check
/** @typedef {import('./screen.mjs').Run} Run */
/** @typedef {{ readonly atMs: number, readonly lines: readonly (readonly Run[])[] }} Frame what is on the screen from a time on */
/** @typedef {{ readonly fromMs: number, readonly untilMs: number, readonly markup: string[] }} Shown lines that come and go together */

const CELL = 8
const LINE = 18
const MARGIN = 16

/**
 * A recording of a terminal: an animation by CSS alone. It begins with the last frame, so that it can be read as a still
 * image too. Its background is its own, so it can be read on a light and on a dark page.
 *
 * @param {readonly Frame[]} frames
 * @param {{ readonly title: string, readonly columns: number, readonly rows: number, readonly endMs: number, readonly firstMs: number }} about
 *   `firstMs`: for how long the last frame is shown at first
 */
export function animatedSvg(frames, { title, columns, rows, endMs, firstMs }) {
  const [width, height] = [columns * CELL + 2 * MARGIN, rows * LINE + 2 * MARGIN]
  const groups = shownTogether(frames, endMs)
  const rules = groups.map(({ fromMs, untilMs }, index) => rule(`g${index}`, fromMs / endMs, untilMs / endMs))
  const bodies = groups.map(({ markup }, index) => `<g class="g${index}">\n${markup.join('\n')}\n</g>`)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escaped(title)}</title>
<style>
text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#e6edf3;white-space:pre}
.dim{fill:#9da7b3}.bold{font-weight:700}.red{fill:#ff7b72}.green{fill:#56d364}.yellow{fill:#e3b341}
@media (prefers-reduced-motion:no-preference){g{animation:${endMs}ms step-end -${endMs - firstMs}ms infinite}}
${rules.join('\n')}
</style>
<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8" fill="#0d1117" stroke="#59636e"/>
${bodies.join('\n')}
</svg>
`
}

/**
 * A line that stays the same over several frames is written once.
 *
 * @param {readonly Frame[]} frames @param {number} endMs
 * @returns {readonly Shown[]}
 */
function shownTogether(frames, endMs) {
  /** @type {Map<string, Shown>} */
  const groups = new Map()
  for (const [index, { atMs, lines }] of frames.entries()) {
    for (const [row, runs] of lines.entries()) {
      const markup = lineAt(row, runs)
      const isSame = (/** @type {number} */ at) => lineAt(row, frames[at]?.lines[row] ?? []) === markup
      if (markup === '' || (index > 0 && isSame(index - 1))) continue
      let next = index + 1
      while (next < frames.length && isSame(next)) next += 1
      const untilMs = frames[next]?.atMs ?? endMs
      const group = groups.get(`${atMs}-${untilMs}`) ?? { fromMs: atMs, untilMs, markup: [] }
      group.markup.push(markup)
      groups.set(`${atMs}-${untilMs}`, group)
    }
  }
  return [...groups.values()]
}

/** @param {number} row @param {readonly Run[]} runs */
function lineAt(row, runs) {
  let column = 0
  const spans = []
  for (const { text, style } of runs) {
    /* The font differs from reader to reader, the columns do not. */
    const place = `x="${MARGIN + column * CELL}" textLength="${text.length * CELL}" lengthAdjust="spacingAndGlyphs"`
    if (text.trim() !== '') spans.push(`<tspan ${place}${style && ` class="${style}"`}>${escaped(text)}</tspan>`)
    column += text.length
  }
  return spans.length === 0 ? '' : `<text y="${MARGIN + (row + 1) * LINE - 5}">${spans.join('')}</text>`
}

/** @param {string} name @param {number} from @param {number} until both as a share of the whole */
function rule(name, from, until) {
  const hidden = until < 1 ? '{visibility:hidden}' : '{visibility:visible}'
  const steps = [
    `0%{visibility:${from === 0 ? 'visible' : 'hidden'}}`,
    ...(from === 0 ? [] : [`${percent(from)}{visibility:visible}`]),
    ...(until < 1 ? [`${percent(until)}{visibility:hidden}`] : []),
  ]
  return `.${name}${hidden.replace('}', `;animation-name:${name}}`)}@keyframes ${name}{${steps.join('')}}`
}

/** @param {number} share */
function percent(share) {
  return `${(share * 100).toFixed(2)}%`
}

/** @param {string} text */
function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
