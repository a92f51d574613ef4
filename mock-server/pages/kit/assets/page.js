/* What somebody does on any page: copying, opening, choosing colours, and keys. */

import { onSubmit, toast } from './forms.js'
import { startLive } from './live.js'
import { coloured, showPayloads } from './payload.js'

startLive()
document.addEventListener('submit', onSubmit)
document.querySelector('.views [aria-current]')?.scrollIntoView({ inline: 'center', block: 'nearest' })

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

/* Texts are formatted when somebody sees them. */

document.addEventListener(
  'toggle',
  ({ target }) => target instanceof HTMLDetailsElement && target.open && show(target),
  true,
)
for (const details of document.querySelectorAll('details[open]')) show(details)

/** @param {Element} opened */
function show(opened) {
  showPayloads(opened)
  for (const pre of opened.querySelectorAll('pre[data-language]')) {
    pre.replaceChildren(...coloured(pre.textContent))
    pre.removeAttribute('data-language')
  }
}

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

/* Keys. The browser itself closes with Escape whatever is open. */

document.addEventListener('keydown', (event) => {
  const { key, target } = event
  // Holding the key down would invite again and again.
  if (event.repeat && key === 'Enter' && target instanceof HTMLButtonElement) event.preventDefault()
  if (event.repeat) return
  if (key === 'Enter' && (event.ctrlKey || event.metaKey) && target instanceof HTMLTextAreaElement) {
    target.form?.requestSubmit()
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return
  if (target instanceof Element && target.matches('input, select, textarea')) return
  if (key === '?') document.getElementById('shortcuts')?.showPopover()
  const search = document.querySelector('input[type=search]')
  if (key !== '/' || !(search instanceof HTMLElement)) return
  event.preventDefault()
  search.focus()
})
