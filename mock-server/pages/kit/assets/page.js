/* What somebody does on any page: copying, opening, choosing colours, and keys. */

import { onSubmit, toast } from './forms.js'
import { refresh, showNew, startLive } from './live.js'
import { showPayloads } from './payload.js'

document.addEventListener('submit', onSubmit)

/** Handles clicks on what matches a selector. @param {string} selector @param {(element: HTMLElement) => void} act */
export function onClick(selector, act) {
  document.addEventListener('click', ({ target }) => {
    const found = target instanceof Element ? target.closest(selector) : null
    if (found instanceof HTMLElement) act(found)
  })
}

/* Copying. */

onClick('[data-copy]', ({ dataset }) => void copy(dataset['copy'] ?? '', 'Copied'))

/** @param {string} text @param {string} done */
export async function copy(text, done) {
  try {
    await navigator.clipboard.writeText(text)
    toast(done)
  } catch {
    toast('The browser did not allow copying')
  }
}

/* Searching, sorting, turning pages and the menu change the address, and update the page in place. */

const TYPING_MS = 150
const PLAIN_LINKS = '.views a, .brand, .tile, .feed a, .who a, .counts a, .pager a, th a'
/** @type {ReturnType<typeof setTimeout> | undefined} */
let typing

/** @param {string | URL} address @param {'pushState' | 'replaceState'} as */
function goTo(address, as) {
  // A search that waits for more typing is out of date: it would lead back from where somebody went.
  clearTimeout(typing)
  history.replaceState({ top: scrollY }, '')
  history[as](null, '', address)
  void refresh(null)
}

/** @param {HTMLFormElement} form */
function addressOf(form) {
  const fields = Array.from(new FormData(form), ([name, value]) => [name, typeof value === 'string' ? value : ''])
  return `${form.action}?${new URLSearchParams(fields.filter(([, value]) => value !== ''))}`
}

document.addEventListener('input', ({ target }) => {
  if (!(target instanceof HTMLInputElement) || target.type !== 'search') return
  const { form } = target
  clearTimeout(typing)
  /* A search that leads to another page waits for Enter. */
  if (form !== null && new URL(form.action).pathname === location.pathname)
    typing = setTimeout(() => goTo(addressOf(form), 'replaceState'), TYPING_MS)
})
document.addEventListener('submit', (event) => {
  const { target } = event
  if (!(target instanceof HTMLFormElement) || target.method !== 'get') return
  event.preventDefault()
  goTo(addressOf(target), 'pushState')
})
document.addEventListener('click', (event) => {
  const { target, ctrlKey, metaKey, shiftKey, altKey } = event
  const link = target instanceof Element ? target.closest(PLAIN_LINKS) : null
  if (!(link instanceof HTMLAnchorElement) || ctrlKey || metaKey || shiftKey || altKey) return
  event.preventDefault()
  goTo(link.href, 'pushState')
})
addEventListener('popstate', () => void refresh(null))
onClick('#show-new', () => void showNew())

/* Texts are formatted when somebody sees them. */

document.addEventListener(
  'toggle',
  ({ target }) => target instanceof HTMLDetailsElement && target.open && showPayloads(opened(target)),
  true,
)

/** What opening something shows: itself, or what follows it in its row. @param {Element} details */
function opened(details) {
  return details.matches('.opener') ? (details.parentElement ?? details) : details
}

document.addEventListener('click', ({ target }) => {
  const menu = document.querySelector('.menu[open]')
  if (menu instanceof HTMLDetailsElement && target instanceof Node && !menu.contains(target)) menu.open = false
})

/* Rows that somebody selects, one by one, or all of a group or a table at once. */

/** @param {ParentNode} place @returns {HTMLInputElement[]} */
function boxesIn(place) {
  return [...place.querySelectorAll('[data-select]')].filter((each) => each instanceof HTMLInputElement)
}

/** The boxes of the rows that are selected. */
export function selected() {
  return boxesIn(document).filter(({ checked }) => checked)
}

/** Says how many rows are selected. */
export function showSelected() {
  const number = selected().length
  for (const place of document.querySelectorAll('[data-selected-count]')) place.textContent = `${number} selected`
  for (const all of document.querySelectorAll('[data-select-all]')) {
    const boxes = boxesIn(groupOf(all))
    if (all instanceof HTMLInputElement) all.checked = boxes.length > 0 && boxes.every(({ checked }) => checked)
  }
}

/** @param {Element} all */
function groupOf(all) {
  return all.closest('.group, table') ?? document
}

document.addEventListener('change', ({ target }) => {
  if (!(target instanceof HTMLInputElement) || !target.matches('[data-select], [data-select-all]')) return
  if (target.dataset['selectAll'] !== undefined) {
    for (const box of boxesIn(groupOf(target))) box.checked = target.checked
  }
  showSelected()
})

/* A form with one field sends itself. */

document.addEventListener('change', ({ target }) => {
  const form = target instanceof HTMLElement ? target.closest('form') : null
  if (form?.dataset['onChange'] !== undefined) form.requestSubmit()
})

/* Colours: the system's, until somebody chooses. */

onClick('#theme', () => {
  const { dataset } = document.documentElement
  const isDark = (dataset['theme'] ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : '')) === 'dark'
  dataset['theme'] = isDark ? 'light' : 'dark'
  localStorage.setItem('certify theme', dataset['theme'])
})

/* Keys. The browser itself closes dialogs with Escape. */

/** What a key does where nobody types and nothing is asked. @type {Record<string, () => void>} */
const keys = {
  '?': () => document.getElementById('shortcuts')?.showPopover(),
  '/': () => {
    const search = document.querySelector('input[type=search]')
    if (search instanceof HTMLElement) search.focus()
  },
}

/** Gives the keys of one page a meaning. @param {Record<string, () => void>} own */
export function onKeys(own) {
  Object.assign(keys, own)
}

document.addEventListener('keydown', (event) => {
  const { key, target } = event
  // Holding the key down would invite again and again.
  if (event.repeat && key === 'Enter' && target instanceof HTMLButtonElement) event.preventDefault()
  if (event.repeat) return
  if (key === 'Escape') document.querySelector('.menu[open]')?.removeAttribute('open')
  if (event.ctrlKey || event.metaKey || event.altKey) return
  if (target instanceof Element && target.matches('input:not([type=checkbox]), select, textarea')) return
  const act = Object.hasOwn(keys, key) ? keys[key] : undefined
  if (act === undefined || document.querySelector('[popover]:popover-open') !== null) return
  event.preventDefault()
  act()
})

startLive(() => {
  for (const details of document.querySelectorAll('details[open]')) showPayloads(opened(details))
})
