/* The one viewer of what was sent and received: JSON that folds, GraphQL documents, and texts. */

/** @typedef {{ readonly kind: string, readonly text: string }} Token */

/** Shows each text in here that has not been shown yet. @param {ParentNode} root */
export function showPayloads(root) {
  for (const figure of root.querySelectorAll('.payload:not(.shown)')) {
    const pre = figure.querySelector('pre')
    if (pre === null) continue
    const { formatted, nodes } = rendered(pre.textContent)
    const view = block('tree', nodes)
    view.tabIndex = 0
    view.setAttribute('role', 'group')
    view.setAttribute('aria-label', pre.getAttribute('aria-label') ?? '')
    pre.replaceWith(view)
    figure.querySelector('figcaption')?.append(copyButton(formatted))
    figure.classList.add('shown')
  }
}

/** A text as the page shows it, and as it is copied. @param {string} text */
export function rendered(text) {
  const value = parsed(text)
  if (value === undefined) return { formatted: text, nodes: [block('plain', [text])] }
  const { query, ...others } = typeof value === 'object' && value !== null ? value : {}
  if (typeof query !== 'string') return { formatted: JSON.stringify(value, null, 2), nodes: [tree(value, '', '')] }
  const formatted = formatGraphql(query)
  return { formatted: text, nodes: [block('plain', coloured(formatted)), tree(others, '', '')] }
}

/** The text in pieces that have colours. It is not changed. @param {string} text @returns {Node[]} */
export function coloured(text) {
  return tokensOf(text).map(({ kind, text: piece }) =>
    kind === 'space' ? document.createTextNode(piece) : span(kind, piece),
  )
}

/* JSON. */

/** @param {unknown} value @param {string} key @param {string} end @param {number} depth @returns {HTMLElement} */
function tree(value, key, end, depth = 0) {
  const name = key === '' ? [] : [span('field', key), ': ']
  if (typeof value !== 'object' || value === null) return block('row', [...name, ...scalar(value), end])
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  const entries = Object.entries(value)
  if (entries.length === 0) return block('row', [...name, `${open}${close}${end}`])
  const rows = entries.map(([each, member], index) =>
    tree(member, Array.isArray(value) ? '' : each, index < entries.length - 1 ? ',' : '', depth + 1),
  )
  const details = document.createElement('details')
  details.open = depth < 6
  const summary = document.createElement('summary')
  summary.append(...name, `${open ?? ''}`, span('folded', `… ${entries.length} ${close}${end}`))
  details.append(summary, block('members', rows), block('row', [`${close}${end}`]))
  return details
}

/** A text is shown as it is, with its line breaks; a web address is a link. @param {unknown} value @returns {(Node | string)[]} */
function scalar(value) {
  if (typeof value !== 'string') return [span(typeof value === 'number' ? 'number' : 'keyword', String(value))]
  if (!/^https?:\/\/\S+$/.test(value)) return [span('text', `"${value}"`)]
  const link = document.createElement('a')
  link.href = value
  link.textContent = value
  return ['"', link, '"']
}

/** @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/* GraphQL. */

const TOKENS =
  /(?<comment>#.*)|(?<text>"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"?)|(?<variable>\$\w+)|(?<number>-?\d[\w.+-]*)|(?<name>\w+)|(?<mark>\.\.\.|[^\s,\w])|(?<space>[\s,]+)/g

const KEYWORDS = new Set(
  'query mutation subscription fragment on schema type input enum scalar interface union directive true false null'.split(
    ' ',
  ),
)

/** @param {string} text @returns {Token[]} */
function tokensOf(text) {
  return Array.from(text.matchAll(TOKENS), ({ 0: piece, groups = {} }) => {
    const [kind = 'mark'] = Object.entries(groups).find(([, found]) => found !== undefined) ?? []
    if (kind !== 'name') return { kind, text: piece }
    return { kind: KEYWORDS.has(piece) ? 'keyword' : /^[A-Z]/.test(piece) ? 'type' : 'field', text: piece }
  })
}

/** A document with one field a line. Only white space and commas change, so comments stay. @param {string} text */
export function formatGraphql(text) {
  let formatted = ''
  let depth = 0
  /** How deep the token is in arguments, where braces and brackets are those of values. */
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

/* Nodes. */

/** @param {string} kind @param {string} text */
function span(kind, text) {
  const element = document.createElement('span')
  element.className = `t-${kind}`
  element.textContent = text
  return element
}

/** @param {string} look @param {readonly (Node | string)[]} content */
function block(look, content) {
  const element = document.createElement('div')
  element.className = look
  element.append(...content)
  return element
}

/** @param {string} text */
function copyButton(text) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'quiet'
  button.dataset['copy'] = text
  button.textContent = 'Copy'
  return button
}
