/* The Console: sends its document to the service, shows the response, and keeps its text when the page is left. */

import { requestOf } from '../kit/assets/forms.js'
import { formatGraphql } from '../kit/assets/graphql-text.js'
import { absence, refresh } from '../kit/assets/live.js'
import { coloured, rendered } from '../kit/assets/payload.js'

const result = document.getElementById('response')
const cancel = document.getElementById('console-cancel')
const outcome = document.getElementById('console-outcome')
const prefix = document.body.dataset['prefix'] ?? ''
const [textKey, historyKey] = [`certify console ${prefix}`, `certify history ${prefix}`]
const KEPT = ['credentials', 'query', 'variables']
const MOST_KEPT = 20

/** The request that is on its way. @type {{ readonly text: string, readonly controller: AbortController } | null} */
let current = null

/* The schema shows the definitions that have the text that is sought. */

document.getElementById('schema-search')?.addEventListener('input', ({ target }) => {
  const sought = target instanceof HTMLInputElement ? target.value.toLowerCase() : ''
  for (const pre of document.querySelectorAll('#schema pre')) {
    pre.toggleAttribute('hidden', !pre.textContent.toLowerCase().includes(sought))
  }
})

const found = document.getElementById('console-form')
if (found instanceof HTMLFormElement) start(found)

/** @param {HTMLFormElement} form */
function start(form) {
  for (const area of form.querySelectorAll('textarea')) {
    area.addEventListener('keydown', (event) => edit(area, event))
    area.addEventListener('input', () => paint(area))
    area.addEventListener('scroll', () => area.previousElementSibling?.scrollTo(0, area.scrollTop))
    paint(area)
  }
  fill(form, stored(sessionStorage, textKey, {}))
  showHistory(form)
  form.addEventListener('input', () => keep(form))
  form.addEventListener('change', ({ target }) => choose(form, target))
  // Someone may have chosen before this script was loaded.
  choose(form, fieldOf(form, 'example'))
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void run(form)
  })
  cancel?.addEventListener('click', () => {
    current?.controller.abort()
    finish('Cancelled. The service may have executed the request.', 'Cancelled')
  })
  document.getElementById('console-format')?.addEventListener('click', () => format(form))
}

/** Shows the chosen example, or the one from the history. @param {HTMLFormElement} form @param {EventTarget | null} select */
function choose(form, select) {
  if (!(select instanceof HTMLSelectElement) || select.id === 'credentials' || select.selectedIndex === 0) return
  fill(form, JSON.parse(select.selectedOptions[0]?.dataset['text'] ?? '{}'))
  select.selectedIndex = 0
  keep(form)
}

/** Only the newest response is shown. @param {HTMLFormElement} form */
async function run(form) {
  const request = requestOf(form)
  const text = JSON.stringify(request)
  // A second click while it waits would invite twice.
  if (request === null || current?.text === text) return
  current?.controller.abort()
  if (absence() !== '') {
    void refresh(null)
    return finish(`Not sent: ${absence()}.`, 'Not sent')
  }
  const mine = { text, controller: new AbortController() }
  current = mine
  begin()
  remember(form)
  const since = performance.now()
  try {
    const { url, headers, body } = request
    const response = await fetch(url, { method: 'POST', headers, body, signal: mine.controller.signal })
    const received = await response.text()
    const errors = errorsIn(received)
    const codes = errors.map((error) => error.extensions?.code ?? error.code ?? 'an error')
    const facts = [`HTTP ${response.status}`, ...new Set(codes), `${Math.round(performance.now() - since)} ms`]
    if (current !== mine) return
    finish(received, facts.join(', '))
    markPlace(form, errors)
  } catch {
    if (current === mine) finish('There was no response. The service may have executed the request.', 'No response')
  }
}

/** The errors in a response. @param {string} text @returns {any[]} */
function errorsIn(text) {
  try {
    return JSON.parse(text).errors ?? []
  } catch {
    return []
  }
}

/** Selects the place in the document that an error is about. @param {HTMLFormElement} form @param {any[]} errors */
function markPlace(form, errors) {
  // An error with a path comes from an operation, and not from the document.
  const place = errors.find(({ path }) => path === undefined)?.locations?.[0]
  const area = fieldOf(form, 'query')
  if (place === undefined || !(area instanceof HTMLTextAreaElement)) return
  const lines = area.value.split('\n').slice(0, place.line - 1)
  const from = lines.reduce((sum, line) => sum + line.length + 1, place.column - 1)
  const [word = ' '] = /^\w+|^./.exec(area.value.slice(from)) ?? []
  area.focus()
  area.setSelectionRange(from, from + word.length)
}

function begin() {
  result?.setAttribute('aria-busy', 'true')
  result?.replaceChildren('Waiting for the response…')
  outcome?.replaceChildren()
  if (cancel) cancel.hidden = false
}

/** @param {string} text @param {string} facts What is shown beside its title. */
function finish(text, facts) {
  current = null
  result?.removeAttribute('aria-busy')
  result?.replaceChildren(...rendered(text).nodes)
  if (cancel?.contains(document.activeElement)) result?.focus()
  if (cancel) cancel.hidden = true
  outcome?.replaceChildren(facts)
  result?.scrollIntoView({ block: 'nearest' })
}

/* The texts: written, kept, and kept for later. */

/** Shows the text of a field in colours behind it. @param {HTMLTextAreaElement} area */
function paint(area) {
  area.previousElementSibling?.replaceChildren(...coloured(area.value), '\n')
}

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
  // The only way to write that keeps the browser's undo.
  document.execCommand('insertText', false, key === 'Tab' ? '  ' : `\n${/^\s*/.exec(line)?.[0]}${deeper}`)
}

/** @param {HTMLFormElement} form */
function format(form) {
  const { query = '', variables } = textsOf(form)
  fill(form, { query: formatGraphql(query) })
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
  const texts = stored(localStorage, historyKey, [])
  if (texts.length === 0) return
  const options = texts.map((/** @type {string} */ text) => {
    const { query, variables } = JSON.parse(text)
    const option = new Option(
      `${query.replaceAll(/\s+/g, ' ').slice(0, 40)} ${variables.replaceAll(/\s+/g, '').slice(0, 40)}`,
    )
    option.dataset['text'] = text
    return option
  })
  fieldOf(form, 'history')?.replaceChildren(new Option('choose one', ''), ...options)
}

/** @param {Storage} storage @param {string} key @param {any} byDefault */
function stored(storage, key, byDefault) {
  return JSON.parse(storage.getItem(key) ?? 'null') ?? byDefault
}

/** @param {HTMLFormElement} form @returns {Record<string, string>} */
function textsOf(form) {
  return Object.fromEntries(KEPT.map((name) => [name, fieldOf(form, name)?.value ?? '']))
}

/** @param {HTMLFormElement} form @param {Readonly<Record<string, string>>} texts */
function fill(form, texts) {
  for (const [name, value] of Object.entries(texts)) {
    const field = fieldOf(form, name)
    // A key that this world does not have leaves the choice as it is.
    if (field instanceof HTMLSelectElement && ![...field.options].some((option) => option.value === value)) continue
    if (field !== null) field.value = value
    if (field instanceof HTMLTextAreaElement) paint(field)
  }
}

/** @param {HTMLFormElement} form @param {string} name */
function fieldOf(form, name) {
  const field = form.elements.namedItem(name)
  return field instanceof HTMLTextAreaElement || field instanceof HTMLSelectElement ? field : null
}
