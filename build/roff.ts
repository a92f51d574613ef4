/** A text in the language of man pages, with nothing in it that the language would interpret. */
export function escaped(text: string): string {
  const characters = text.replaceAll(/[\\\-'`^~"…’–×]/g, (each) => CHARACTERS[each] ?? each)
  /* A dot would begin a request at the start of a line. */
  return characters.replaceAll(/^\./gm, '\\&.').replaceAll(LONG_WORD, (word) => word.replaceAll(/[,|]/g, '$&\\:'))
}

/** A text with `code` in it. */
export function prose(text: string): string {
  return text
    .split('`')
    .map((part, index) => (index % 2 === 1 ? bold(part) : escaped(part)))
    .join('')
    .replaceAll(/\s*\n\s*/g, ' ')
    .replace(/\.{2,}$/, '.')
}

export function bold(text: string): string {
  return `\\fB${escaped(text)}\\fR`
}

export function italic(text: string): string {
  return `\\fI${escaped(text)}\\fR`
}

/** A flag or a path, with its values in italics. */
export function code(text: string): string {
  return text
    .split(/([<[][^>\]]+[>\]])/)
    .map((part, index) => (part === '' ? '' : index % 2 === 1 ? italic(part) : bold(part)))
    .join('')
}

/* It may be broken inside of lists. */
const LONG_WORD = /\S{30,}/g

const CHARACTERS: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
  '"': '\\(dq',
  '…': '...',
  '’': '\\(cq',
  '–': '\\(en',
  '×': '\\(mu',
}
