/* GraphQL documents as text: their tokens and their formatting. */

/** @typedef {{ readonly kind: string, readonly text: string }} Token */

const TOKENS = new RegExp(
  [
    /(?<comment>#.*)/,
    // The name of a member in JSON.
    /(?<field>"(?:\\.|[^"\\\n])*"(?=\s*:))/,
    /(?<text>"{3}[\s\S]*?"{3}|"(?:\\.|[^"\\\n])*"?)/,
    /(?<variable>\$\w+)/,
    /(?<number>-?\d[\w.+-]*)/,
    /(?<name>\w+)/,
    /(?<mark>\.\.\.|[^\s,\w])/,
    /(?<space>[\s,]+)/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
)

const KEYWORDS = new Set(
  'query mutation subscription fragment on schema type input enum scalar interface union directive true false null'.split(
    ' ',
  ),
)

/** The text in pieces. @param {string} text @returns {Token[]} */
export function tokensOf(text) {
  return Array.from(text.matchAll(TOKENS), ({ 0: piece, groups = {} }) => {
    const [kind = 'mark'] = Object.entries(groups).find(([, found]) => found === piece) ?? []
    if (kind !== 'name') return { kind, text: piece }
    return { kind: KEYWORDS.has(piece) ? 'keyword' : /^[A-Z]/.test(piece) ? 'type' : 'field', text: piece }
  })
}

/** A document with one field per line. Only white space and commas change, so comments stay. @param {string} text */
export function formatGraphql(text) {
  let formatted = ''
  let depth = 0
  /** How deep the token is in arguments, where braces and brackets belong to values. */
  let nested = 0
  let before = ''
  let beforeThat = ''
  const line = () => {
    formatted = `${formatted.trimEnd()}\n${'  '.repeat(depth)}`
  }
  for (const { kind, text: token } of tokensOf(text)) {
    if (kind === 'space') continue
    if (nested === 0 && token === '}') depth -= 1
    if (kind === 'comment' || before.startsWith('#')) {
      if (formatted !== '') line()
    } else if (nested === 0 && (token === '}' || before === '{')) line()
    else if (nested === 0 && startsSelection(token, kind, before, beforeThat)) {
      if (depth > 0 || before === '}') line()
      else formatted += ' '
    } else formatted += spaceBetween(before, token, nested)
    formatted += token
    if (token === '(' || (nested > 0 && /^[{[]$/.test(token))) nested += 1
    else if (token === ')' || (nested > 0 && /^[}\]]$/.test(token))) nested -= 1
    else if (token === '{') depth += 1
    ;[beforeThat, before] = [before, token]
  }
  return formatted.trim()
}

/** @param {string} token @param {string} kind @param {string} before @param {string} beforeThat */
function startsSelection(token, kind, before, beforeThat) {
  const isStart = token === '...' || kind === 'field' || kind === 'keyword' || kind === 'type'
  const continues = /^(?::|\.\.\.|@|)$/.test(before) || (before === 'on' && beforeThat === '...')
  return isStart && !continues
}

/** @param {string} before @param {string} token @param {number} nested */
function spaceBetween(before, token, nested) {
  if (before === '' || /^[([@]$/.test(before) || /^[)\]:!(]$/.test(token)) return ''
  if (before === '...') return token === 'on' || token === '{' || token === '@' ? ' ' : ''
  if (nested === 0 || /^[:={]$/.test(before) || /^[=}@]$/.test(token)) return before === '{' && nested > 1 ? ' ' : ' '
  return ', '
}
