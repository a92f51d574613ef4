// @ts-check
/** @typedef {{ readonly text: string, readonly style: string }} Run one stretch of a line in one style */
/** @typedef {{ readonly char: string, readonly style: string }} Cell */

/* What a program writes to a terminal beside text: `ESC [ number letter`, and the three control characters below. */
const ESCAPE = '\u001B'
const PIECE = new RegExp(`${ESCAPE}\\[([\\d;]*)([A-Za-z])|[\\r\\n]|\\P{Cc}`, 'gu')
/** @type {Readonly<Record<string, string>>} */
const STYLES = { 0: '', 22: '', 39: '', 1: 'bold', 2: 'dim', 31: 'red', 32: 'green', 33: 'yellow' }

/** What is on a terminal after a program wrote to it. It knows what this program writes, and refuses anything else. */
export class Screen {
  /** @type {(Cell | undefined)[][]} a column that was skipped has no cell */
  #lines = [[]]
  #row = 0
  #column = 0
  #style = ''

  /** @param {string} output */
  write(output) {
    const rest = output.replaceAll(PIECE, '')
    if (rest !== '') throw new Error(`The screen does not know ${JSON.stringify(rest)}.`)
    for (const [char, value = '', command] of output.matchAll(PIECE)) {
      if (command !== undefined) this.#command(command, value)
      else if (char === '\r') this.#column = 0
      else if (char === '\n') this.#lineFeed()
      else this.#put(char)
    }
  }

  /**
   * The last lines, as they are on the screen.
   *
   * @param {number} height
   * @returns {readonly (readonly Run[])[]}
   */
  lines(height) {
    return this.#lines.slice(-height).map((line) => {
      /** @type {{ text: string, style: string }[]} */
      const runs = []
      for (const cell of Array.from(line, (each) => each ?? { char: ' ', style: '' })) {
        const last = runs.at(-1)
        if (last?.style === cell.style) last.text += cell.char
        else runs.push({ text: cell.char, style: cell.style })
      }
      return runs
    })
  }

  /** @param {string} command @param {string} value */
  #command(command, value) {
    const line = this.#lines[this.#row] ?? []
    if (command === 'G') this.#column = Number(value || 1) - 1
    else if (command === 'K' && value === '') line.length = Math.min(line.length, this.#column)
    else if (command === 'J' && Number(value) === 0) {
      line.length = Math.min(line.length, this.#column)
      this.#lines.length = this.#row + 1
    } else if (command === 'm' && value in STYLES) this.#style = STYLES[value] ?? ''
    else throw new Error(`The screen does not know the sequence ${value}${command}.`)
  }

  #lineFeed() {
    this.#row += 1
    this.#lines[this.#row] ??= []
  }

  /** @param {string} char */
  #put(char) {
    const line = this.#lines[this.#row] ?? []
    line[this.#column] = { char, style: this.#style }
    this.#column += 1
  }
}
