/* Keeps the page up to date: after a change in the mock, it is fetched again, and the sections about the change are updated. */

import { announce, announceChange } from './announce.js'
import { runClock, stopClock } from './clock.js'
import { Idiomorph } from './idiomorph.js'
import { listen } from './stream.js'

const { prefix = '', session, live } = document.body.dataset

const EVERYTHING = ['world', 'clock', 'callbacks', 'faults', 'requestLog', 'sessions']

const LONGEST_REST_MS = 2000

/** @type {Set<string>} */
const changed = new Set()
let isLoading = false
let isClockMoved = false
/** Why no form is sent now. */
let absence = ''

/* A page without a stream, such as that of a candidate, looks again when somebody comes back to it. */
document.addEventListener('visibilitychange', () => void refresh(EVERYTHING))
if (live !== undefined) {
  listen(`${prefix}/__mock/events`, (message) => {
    // Changes may have been missed while there was no stream.
    const parts = typeof message === 'string' ? EVERYTHING : message
    isClockMoved ||= parts === message && parts.includes('clock')
    void refresh(parts)
  })
}
runClock()

// The browser would leave the page for one of its own, and what was typed would be lost. What sends by a script says itself how that ended.
document.addEventListener(
  'submit',
  (event) => {
    const { target } = event
    const isAway = document.body.classList.contains('is-away')
    if (!isAway || !(target instanceof HTMLFormElement) || isSentByScript(target)) return
    event.preventDefault()
    event.stopPropagation()
    announce(`Not sent: ${absence}.`)
    void refresh(EVERYTHING)
  },
  { capture: true },
)

/** @param {HTMLFormElement} form */
function isSentByScript({ dataset }) {
  return dataset['api'] !== undefined || dataset['endpoint'] !== undefined
}

/** @param {readonly string[]} parts */
async function refresh(parts) {
  for (const part of parts) changed.add(part)
  if (isLoading || document.hidden) return
  isLoading = true
  try {
    while (changed.size > 0) {
      const since = performance.now()
      await update()
      // The mock works for its clients, and only now and then for its pages: however slow it is, most of its time is theirs.
      const restMs = Math.min(3 * (performance.now() - since), LONGEST_REST_MS)
      await new Promise((resolve) => setTimeout(resolve, restMs))
    }
  } finally {
    isLoading = false
  }
}

async function update() {
  const stale = sections().filter(
    (section) => section.id === 'clock' || partsOf(section).some((part) => changed.has(part)),
  )
  changed.clear()
  if (stale.length === 0) return
  const fresh = await load()
  if (fresh === null) return
  for (const old of stale) {
    const next = fresh.getElementById(old.id)
    if (next === null || old.isEqualNode(next) || hasProblem(old)) continue
    const summary = next.dataset['summary'] ?? ''
    const isNews = old.id === 'clock' ? isClockMoved : summary !== old.dataset['summary']
    if (isNews && summary !== '') announceChange(`${titleOf(next)}: ${summary}`)
    Idiomorph.morph(old, next, { morphStyle: 'outerHTML', callbacks: KEEP_WHAT_PEOPLE_DID })
  }
  isClockMoved = false
  runClock()
}

/** This page as the mock shows it now; `null`, and a text at the top of the page, where it does not. */
async function load() {
  try {
    const signal = AbortSignal.timeout(10_000)
    const response = await fetch(location.href, { headers: { accept: 'text/html' }, signal })
    const text = await response.text()
    const fresh = new DOMParser().parseFromString(text, 'text/html')
    // What a closed session had is answered by the main world.
    const isClosed = response.status === 404 && fresh.body.dataset['prefix'] !== prefix
    if (isClosed) return showAway(`The session ${session} was closed at`, '.', 'the session was closed')
    if (response.status === 404)
      return showAway('What this page shows is gone since', ': the world was reset.', 'what this page shows is gone')
    showAway('')
    return fresh
  } catch {
    return showAway(
      'The mock is not reachable since',
      '. The page continues when the mock is back.',
      'the mock is not reachable',
    )
  }
}

/** Says what has become of the mock, and since when; nothing where it is there. @param {string} text @param {string} end @param {string} reason */
function showAway(text, end = '', reason = '') {
  absence = reason
  const away = document.getElementById('away')
  if (away === null) return null
  if (text === '') {
    away.textContent = ''
  } else if (!away.textContent.startsWith(text)) {
    away.textContent = `${text} ${new Date().toISOString().slice(11, 19)} UTC${end}`
    stopClock()
  }
  document.body.classList.toggle('is-away', text !== '')
  return null
}

/** What somebody typed, chose or opened stays as it is. */
const KEEP_WHAT_PEOPLE_DID = {
  /** @param {Node} node */
  beforeNodeMorphed: (node) => !isChanged(node),
  /** @param {string} name @param {Element} element */
  beforeAttributeUpdated: (name, element) => !(name === 'open' && element instanceof HTMLDetailsElement),
}

/** Whether somebody uses this field, or it has another value than it came with. @param {Node} field */
function isChanged(field) {
  if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) {
    const isTicked = field instanceof HTMLInputElement && field.checked !== field.defaultChecked
    return field === document.activeElement || field.value !== field.defaultValue || isTicked
  }
  if (!(field instanceof HTMLSelectElement)) return false
  const first = Math.max(
    0,
    [...field.options].findIndex(({ defaultSelected }) => defaultSelected),
  )
  return field === document.activeElement || field.selectedIndex !== first
}

/** Whether the section shows an error: a new request would not show it again. @param {HTMLElement} section */
function hasProblem(section) {
  return section.querySelector('.problem') !== null
}

/** @returns {HTMLElement[]} */
function sections() {
  return [...document.querySelectorAll('[data-parts]')].filter((each) => each instanceof HTMLElement)
}

/** @param {HTMLElement} section */
function partsOf(section) {
  return (section.dataset['parts'] ?? '').split(' ')
}

/** @param {HTMLElement} section */
function titleOf(section) {
  return section.querySelector('h2')?.textContent ?? section.getAttribute('aria-label') ?? ''
}
