/* The Console: sends its document to the service, shows the answer, and keeps its text while the page is away. */

import { formatGraphql } from './graphql-text.js'
import { absence } from './live.js'
import { rendered } from './payload.js'

const answer = document.getElementById('answer')
const cancel = document.getElementById('console-cancel')
const outcome = document.getElementById('console-outcome')
const prefix = document.body.dataset['prefix'] ?? ''
const [textKey, historyKey] = [`certify console ${prefix}`, `certify history ${prefix}`]
const KEPT = ['credentials', 'query', 'variables']
const MOST_KEPT = 20

/** The request that is on its way. @type {{ readonly text: string, readonly controller: AbortController } | null} */
let current = null

const found = document.getElementById('console-form')
if (found instanceof HTMLFormElement) start(found)

/** @param {HTMLFormElement} form */
function start(form) {
  if (form.dataset['given'] === undefined) fill(form, stored(sessionStorage, textKey, {}))
  showHistory(form)
  noteRequest(form)
  form.addEventListener('input', () => keep(form))
  form.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLSelectElement)) return
    const text = target.selectedOptions[0]?.dataset['text']
    if (text !== undefined) fill(form, JSON.parse(text))
    if (target.name === 'example' || target.name === 'history') target.selectedIndex = 0
    keep(form)
  })
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void run(form)
  })
  // A key that is held, or a double click, would invite again and again.
  form.addEventListener(
    'keydown',
    (event) => {
      const isRun = event.ctrlKey || event.metaKey || event.target instanceof HTMLButtonElement
      if (!(event.repeat && event.key === 'Enter' && isRun)) return
      event.preventDefault()
      event.stopPropagation()
    },
    true,
  )
  form.addEventListener('click', (event) => {
    if (event.detail > 1 && event.target instanceof Element && event.target.closest('.primary')) event.preventDefault()
  })
  cancel?.addEventListener('click', () => {
    current?.controller.abort()
    finish('Cancelled. The service may have executed the request.', 'Cancelled')
  })
  document.getElementById('console-format')?.addEventListener('click', () => format(form))
  for (const area of form.querySelectorAll('textarea')) area.addEventListener('keydown', (event) => edit(area, event))
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
  const mine = { text, controller }
  const since = performance.now()
  const wasAway = absence() !== ''
  current = mine
  begin()
  remember(form)
  try {
    const { signal } = controller
    const response = await fetch(form.dataset['endpoint'] ?? '', { method: 'POST', headers, body, signal })
    const received = await response.text()
    const facts = [`HTTP ${response.status}`, ...errorCodes(received), `${Math.round(performance.now() - since)} ms`]
    if (current === mine) finish(received, facts.join(', '))
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
    await fetch(`${prefix}/__mock/health`, { signal: AbortSignal.timeout(10_000) })
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
  const select = fieldOf(form, 'credentials')
  return JSON.parse((select instanceof HTMLSelectElement && select.selectedOptions[0]?.dataset['headers']) || '{}')
}

function begin() {
  answer?.setAttribute('aria-busy', 'true')
  answer?.replaceChildren('Waiting for the answer…')
  outcome?.replaceChildren()
  if (cancel) cancel.hidden = false
}

/** @param {string} text @param {string} facts What is said of it beside its title. */
function finish(text, facts) {
  current = null
  answer?.removeAttribute('aria-busy')
  answer?.replaceChildren(...rendered(text).nodes)
  if (cancel?.contains(document.activeElement)) answer?.focus()
  if (cancel) cancel.hidden = true
  outcome?.replaceChildren(facts)
  answer?.scrollIntoView({ block: 'nearest' })
}

/* The texts: written, kept, and kept for later. */

/** Tab indents, after Escape it leaves; Enter keeps the indentation. @param {HTMLTextAreaElement} area @param {KeyboardEvent} event */
function edit(area, event) {
  const { key, shiftKey, ctrlKey, metaKey } = event
  const isLeaving = area.dataset['leaving'] !== undefined
  delete area.dataset['leaving']
  if (key === 'Escape') area.dataset['leaving'] = ''
  if (ctrlKey || metaKey || shiftKey || isLeaving || (key !== 'Tab' && key !== 'Enter')) return
  event.preventDefault()
  const line = area.value.slice(0, area.selectionStart).split('\n').at(-1) ?? ''
  const deeper = /[{[(]\s*$/.test(line) ? '  ' : ''
  // The one way to write that keeps the undo of the browser.
  document.execCommand('insertText', false, key === 'Tab' ? '  ' : `\n${/^\s*/.exec(line)?.[0]}${deeper}`)
}

/** @param {HTMLFormElement} form */
function format(form) {
  const variables = textOf(form, 'variables')
  fill(form, { query: formatGraphql(textOf(form, 'query')) })
  try {
    fill(form, { variables: JSON.stringify(JSON.parse(variables || '{}'), null, 2) })
  } catch {
    // It stays as it is: a run says what is wrong.
  }
  keep(form)
}

/** Text stays when the page is left, for as long as the tab is open. Keys are kept by name. @param {HTMLFormElement} form */
function keep(form) {
  sessionStorage.setItem(textKey, JSON.stringify(textsOf(form)))
  noteRequest(form)
}

/** What is copied as a command or as code. @param {HTMLFormElement} form */
function noteRequest(form) {
  const { query, variables } = textsOf(form)
  const headers = { 'content-type': 'application/json', ...credentialsOf(form) }
  let body = JSON.stringify({ query, variables: {} })
  try {
    body = JSON.stringify({ query, variables: JSON.parse(variables || '{}') })
  } catch {
    // Half-written variables are left out.
  }
  const url = location.origin + (form.dataset['endpoint'] ?? '')
  form.querySelector('.snippets')?.setAttribute('data-request', JSON.stringify({ url, method: 'POST', headers, body }))
}

/** The last documents that were run, newest first. @param {HTMLFormElement} form */
function remember(form) {
  const text = JSON.stringify(textsOf(form))
  const others = stored(localStorage, historyKey, []).filter((/** @type {string} */ each) => each !== text)
  localStorage.setItem(historyKey, JSON.stringify([text, ...others].slice(0, MOST_KEPT)))
  showHistory(form)
}

/** @param {HTMLFormElement} form */
function showHistory(form) {
  const select = fieldOf(form, 'history')
  const texts = stored(localStorage, historyKey, [])
  if (!(select instanceof HTMLSelectElement) || texts.length === 0) return
  const options = texts.map((/** @type {string} */ text) => {
    const { query, variables } = JSON.parse(text)
    const option = new Option(
      `${query.replaceAll(/\s+/g, ' ').slice(0, 40)} ${variables.replaceAll(/\s+/g, '').slice(0, 40)}`,
    )
    option.dataset['text'] = text
    return option
  })
  select.replaceChildren(new Option('choose one', ''), ...options)
}

/** @param {Storage} storage @param {string} key @param {any} byDefault */
function stored(storage, key, byDefault) {
  return JSON.parse(storage.getItem(key) ?? 'null') ?? byDefault
}

/** @param {HTMLFormElement} form @returns {Record<string, string>} */
function textsOf(form) {
  return Object.fromEntries(KEPT.map((name) => [name, textOf(form, name)]))
}

/** @param {HTMLFormElement} form @param {Readonly<Record<string, string>>} texts */
function fill(form, texts) {
  for (const [name, value] of Object.entries(texts)) {
    const field = fieldOf(form, name)
    // A key that this world does not have leaves the choice as it is.
    if (field instanceof HTMLSelectElement && ![...field.options].some((option) => option.value === value)) continue
    if (field !== null) field.value = value
  }
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
