/* The Console: sends its document to the service, shows the answer, and keeps its text while the page is away. */

const consoleForm = document.getElementById('console')
const answer = document.getElementById('answer')
const cancel = document.getElementById('console-cancel')
const outcome = document.getElementById('console-outcome')
const storageKey = `certify console ${document.body.dataset['prefix'] ?? ''}`
const KEPT = ['credentials', 'query', 'variables']

/**
 * The request that is on its way.
 * @type {{ readonly text: string, readonly since: number, readonly controller: AbortController } | null}
 */
let current = null

if (consoleForm instanceof HTMLFormElement) {
  if (consoleForm.dataset['given'] === undefined) restore(consoleForm)
  else keep(consoleForm)
  consoleForm.addEventListener('input', () => keep(consoleForm))
  consoleForm.addEventListener('change', ({ target }) => {
    if (target instanceof HTMLSelectElement && target.name === 'example') choose(consoleForm, target)
    keep(consoleForm)
  })
  consoleForm.addEventListener('submit', (event) => {
    event.preventDefault()
    void run(consoleForm)
  })
  // A key that is held would invite again and again.
  consoleForm.addEventListener(
    'keydown',
    (event) => {
      const isRun = event.ctrlKey || event.metaKey || event.target instanceof HTMLButtonElement
      if (!(event.repeat && event.key === 'Enter' && isRun)) return
      event.preventDefault()
      event.stopPropagation()
    },
    true,
  )
  // A double click would invite twice.
  consoleForm.addEventListener('click', (event) => {
    if (event.detail > 1 && event.target instanceof Element && event.target.closest('.primary')) event.preventDefault()
  })
  cancel?.addEventListener('click', () => {
    if (current === null) return
    const { since } = current
    current.controller.abort()
    finish(`Cancelled after ${secondsSince(since)}. The service may have executed the request.`, 'Cancelled')
  })
}

/** Only the newest answer is shown. @param {HTMLFormElement} form */
async function run(form) {
  const body = bodyOf(form)
  if (body === null) return
  const headers = { 'content-type': 'application/json', ...credentialsOf(form) }
  const text = JSON.stringify([headers, body])
  if (current?.text === text) return answer?.replaceChildren('Still waiting for the answer. The request was sent once.')
  current?.controller.abort()
  const controller = new AbortController()
  const mine = { text, since: performance.now(), controller }
  const wasAway = document.body.classList.contains('is-away')
  current = mine
  begin()
  try {
    const { signal } = controller
    const response = await fetch(form.dataset['endpoint'] ?? '', { method: 'POST', headers, body, signal })
    const received = await response.text()
    const facts = [
      `HTTP ${response.status}`,
      ...errorCodes(received),
      `${Math.round(performance.now() - mine.since)} ms`,
    ]
    if (current === mine) finish(indented(received), facts.join(', '))
  } catch {
    // Only a mock that was away before, and still is, cannot have executed it.
    const isAway = wasAway && !(await isThere())
    if (current === mine) finish(isAway ? NOT_REACHABLE : LOST, 'No answer')
  }
}

const NOT_REACHABLE = 'Not sent, or not answered: the mock is not reachable.'
const LOST = 'There was no answer. The service may have executed the request.'

async function isThere() {
  try {
    await fetch(`${document.body.dataset['prefix'] ?? ''}/__mock/health`, { signal: AbortSignal.timeout(10_000) })
    return true
  } catch {
    return false
  }
}

/** The codes of the errors in an answer. @param {string} text @returns {string[]} */
function errorCodes(text) {
  try {
    const { errors = [] } = JSON.parse(text)
    const codes = errors.map((/** @type {any} */ error) => error.extensions?.code ?? error.code ?? 'an error')
    return [...new Set(codes)]
  } catch {
    return []
  }
}

/** The body to send, or `null` where the variables are not JSON. @param {HTMLFormElement} form */
function bodyOf(form) {
  const [query, variables] = [textOf(form, 'query'), textOf(form, 'variables')]
  try {
    return JSON.stringify({ query, variables: variables.trim() === '' ? {} : JSON.parse(variables) })
  } catch (error) {
    current?.controller.abort()
    finish(`The variables are not JSON: ${error instanceof Error ? error.message : ''}`, 'Not sent')
    return null
  }
}

/** @param {HTMLFormElement} form @returns {Record<string, string>} */
function credentialsOf(form) {
  const select = form.elements.namedItem('credentials')
  return JSON.parse((select instanceof HTMLSelectElement && select.selectedOptions[0]?.dataset['headers']) || '{}')
}

function begin() {
  answer?.setAttribute('aria-busy', 'true')
  answer?.replaceChildren('Waiting for the answer…')
  outcome?.replaceChildren()
  if (cancel) cancel.hidden = false
}

/** @param {string} text @param {string} facts What is said of it beside the button. */
function finish(text, facts) {
  current = null
  answer?.removeAttribute('aria-busy')
  answer?.replaceChildren(...withLinks(text))
  if (cancel?.contains(document.activeElement)) answer?.focus()
  if (cancel) cancel.hidden = true
  outcome?.replaceChildren(facts)
  answer?.scrollIntoView({ block: 'nearest' })
}

/** @param {number} since */
function secondsSince(since) {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`
}

/** The text in pieces: each JSON string that is a web address is a link. @param {string} text @returns {(string | Node)[]} */
function withLinks(text) {
  return text.split(/(?<=")(https?:\/\/[^"\\\s]+)(?=")/).map((piece, index) => {
    if (index % 2 === 0) return piece
    const link = document.createElement('a')
    link.href = piece
    link.textContent = piece
    return link
  })
}

/** @param {string} text */
function indented(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/** @param {HTMLFormElement} form @param {HTMLSelectElement} select */
function choose(form, select) {
  const { dataset } = select.selectedOptions[0] ?? {}
  for (const name of KEPT) if (dataset?.[name] !== undefined) fill(form, name, dataset[name])
}

/** Text stays when the page is left, for as long as the tab is open. Keys are kept by name. @param {HTMLFormElement} form */
function keep(form) {
  sessionStorage.setItem(storageKey, JSON.stringify(Object.fromEntries(KEPT.map((name) => [name, textOf(form, name)]))))
}

/** @param {HTMLFormElement} form */
function restore(form) {
  const kept = JSON.parse(sessionStorage.getItem(storageKey) ?? '{}')
  for (const name of KEPT) if (typeof kept[name] === 'string') fill(form, name, kept[name])
}

/** Fills a field, and lets its editor know. @param {HTMLFormElement} form @param {string} name @param {string} value */
function fill(form, name, value) {
  const field = fieldOf(form, name)
  // A key that this world does not have leaves the choice as it is.
  if (field instanceof HTMLSelectElement && ![...field.options].some((option) => option.value === value)) return
  if (field === null) return
  field.value = value
  field.dispatchEvent(new Event('input', { bubbles: true }))
}

/** @param {HTMLFormElement} form @param {string} name */
function textOf(form, name) {
  return fieldOf(form, name)?.value ?? ''
}

/** @param {HTMLFormElement} form @param {string} name */
function fieldOf(form, name) {
  const field = form.elements.namedItem(name)
  return field instanceof HTMLTextAreaElement || field instanceof HTMLSelectElement ? field : null
}
