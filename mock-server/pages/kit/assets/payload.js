/* What was sent and received: JSON on several lines, and a GraphQL document as people write it. */

/** Formats each text in here that has not been formatted yet. @param {ParentNode} root */
export function showPayloads(root) {
  for (const figure of root.querySelectorAll('.payload:not(.shown)')) {
    const pre = figure.querySelector('pre')
    if (pre === null) continue
    figure.querySelector('figcaption')?.append(copyButton(pre.textContent))
    pre.textContent = formatted(pre.textContent)
    figure.classList.add('shown')
  }
}

/** @param {string} text */
function formatted(text) {
  try {
    const value = JSON.parse(text)
    const { query, ...others } = Object(value)
    return typeof query === 'string' ? `${query}\n\n${indented(others)}` : indented(value)
  } catch {
    return text
  }
}

/** @param {unknown} value */
function indented(value) {
  return JSON.stringify(value, null, 2)
}

/** Copies a text as it was sent. @param {string} text */
function copyButton(text) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'quiet'
  button.dataset['copy'] = text
  button.textContent = 'Copy'
  return button
}
