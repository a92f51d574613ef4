/* The viewer of everything that was sent and received: JSON that folds, documents and texts. */

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
function rendered(text) {
  const value = parsed(text)
  if (value === undefined) return { formatted: text, nodes: [block('plain', [text])] }
  const { query, ...others } = typeof value === 'object' && value !== null ? value : {}
  if (typeof query !== 'string') return { formatted: JSON.stringify(value, null, 2), nodes: [tree(value, '', '')] }
  return { formatted: text, nodes: [block('plain', [query]), tree(others, '', '')] }
}

/* JSON. */

/** @param {unknown} value @param {string} key @param {string} end @param {number} depth @returns {HTMLElement} */
function tree(value, key, end, depth = 0) {
  const name = key === '' ? [] : [span('field', key), ': ']
  if (typeof value !== 'object' || value === null) return block('leaf', [...name, ...scalar(value), end])
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  const entries = Object.entries(value)
  if (entries.length === 0) return block('leaf', [...name, `${open}${close}${end}`])
  const rows = entries.map(([each, member], index) =>
    tree(member, Array.isArray(value) ? '' : each, index < entries.length - 1 ? ',' : '', depth + 1),
  )
  const details = document.createElement('details')
  details.open = depth < 6
  const summary = document.createElement('summary')
  summary.append(...name, open ?? '', span('folded', `… ${entries.length} ${close}${end}`))
  details.append(summary, block('members', rows), block('leaf', [`${close}${end}`]))
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
