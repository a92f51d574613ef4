/* Keeps the page up to date: after a change in the mock it is fetched again, and the sections about the change are updated. */

import { Idiomorph } from './idiomorph.js'
import { runClock, showTimes, stopClock } from './times.js'

const { prefix = '', api = '', server = '', session, live } = document.body.dataset

const MAX_REST_MS = 2000

/** The parts that have changed; `null`: any. @type {Set<string> | null} */
let changed = new Set()
/** @type {Promise<void> | undefined} */
let loading
/** Ends the rest between two updates. */
let wake = () => {}
/** The path of the page that is shown. */
let shown = location.pathname
/** What else a page needs when it is shown. */
let onPage = () => {}

/** @param {() => void} prepare What else a page needs when it is shown. */
export function startLive(prepare) {
  onPage = prepare
  showTimes(document)
  runClock()
  onPage()
  /* A page without a stream, such as a candidate's without the control token, looks again when somebody returns to it. */
  document.addEventListener('visibilitychange', () => void refresh(null))
  if (live === undefined) return
  document.addEventListener('visibilitychange', listen)
  document.addEventListener('toggle', onAnswer, true)
  listen()
}

/** @type {EventSource | undefined} */
let events

/** Listens for changes of the mock while the page is visible. A browser reconnects on its own. */
function listen() {
  events?.close()
  if (document.hidden) return
  events = new EventSource(`${api}/events`)
  // Changes may have been missed before the stream was open, and while it was interrupted.
  for (const name of ['open', 'error']) events.addEventListener(name, () => void refresh(null))
  events.addEventListener('change', ({ data }) => void refresh(JSON.parse(data).parts))
}

/** Why nothing can be sent now; empty if it can. */
export function absence() {
  return reason
}
let reason = ''

/** Updates the sections about these parts; all sections for `null`. @param {readonly string[] | null} parts */
export async function refresh(parts) {
  if (parts === null) {
    changed = null
    wake()
  } else for (const part of parts) changed?.add(part)
  if (document.hidden) return
  loading ??= updateUntilDone().finally(() => {
    loading = undefined
  })
  await loading
}

async function updateUntilDone() {
  while (changed === null || changed.size > 0) {
    const since = performance.now()
    await update()
    // Clients come before pages: however slow the mock is, they get most of its time.
    const restMs = Math.min(3 * (performance.now() - since), MAX_REST_MS)
    await new Promise((/** @type {(value?: undefined) => void} */ resolve) => {
      wake = resolve
      setTimeout(resolve, restMs)
    })
  }
}

async function update() {
  const parts = changed
  changed = new Set()
  const path = location.pathname
  if (path !== shown) return showPage(await load(), path)
  const stale = [...document.querySelectorAll('[data-parts]')].filter((section) => {
    const own = section.getAttribute('data-parts')?.split(' ') ?? []
    return parts === null || own.some((part) => parts.has(part))
  })
  if (stale.length === 0) return
  const fresh = await load()
  if (fresh === null) return
  showTimes(fresh)
  const place = document.activeElement?.closest('[data-parts]')?.id
  for (const old of stale) {
    const next = fresh.getElementById(old.id)
    if (next === null || !old.isConnected || isAsking(old) || old.isEqualNode(next) || isHeldBack(old, next)) continue
    Idiomorph.morph(old, next, { morphStyle: 'outerHTML', callbacks: KEEP_WHAT_PEOPLE_DID })
  }
  runClock()
  // The action may have removed its own button: the focus then stays nearby.
  const next = place && document.getElementById(place)?.querySelector('.buttons button, .buttons a, button, a, input')
  if (document.activeElement === document.body && next instanceof HTMLElement) next.focus()
}

/**
 * Shows another page in the place of this one, as the browser would: title, menu, content, and its heading in focus. The
 * browser itself loads what this cannot show.
 * @param {Document | null} fresh @param {string} path
 */
function showPage(fresh, path) {
  if (fresh?.body.dataset['live'] === undefined || fresh.body.dataset['prefix'] !== prefix) return location.reload()
  shown = path
  document.title = fresh.title
  showTimes(fresh)
  for (const place of ['.views', 'main', 'footer']) {
    document.querySelector(place)?.replaceWith(fresh.querySelector(place) ?? '')
  }
  const heading = document.querySelector('h1')
  heading?.setAttribute('tabindex', '-1')
  heading?.focus({ preventScroll: true })
  scrollTo(0, history.state?.top ?? 0)
  runClock()
  onPage()
}

/** Whether a section waits because a question in it is open: what somebody typed there must not go away. @param {Element} section */
function isAsking(section) {
  const isOpen = section.matches(':is(.question:popover-open, :has(.question:popover-open))')
  isWaiting ||= isOpen
  return isOpen
}
let isWaiting = false

/** Updates the sections that waited for an answer. */
function onAnswer() {
  if (!isWaiting || document.querySelector('.question:popover-open') !== null) return
  isWaiting = false
  void refresh(null)
}

/** Whether a list stays as it is because somebody reads it; a button then shows it as it is now. @param {Element} old @param {Element} next */
function isHeldBack(old, next) {
  const button = old.querySelector('#show-new')
  const isRead = old.querySelector('details[open]') !== null || old.getBoundingClientRect().top < 0
  if (!old.hasAttribute('data-steady') || !(button instanceof HTMLElement) || !isRead || isAsked) return false
  const [first, newest] = [old, next].map((list) => Number(/\d+/.exec(list.querySelector('.entries > li')?.id ?? '')))
  button.hidden = !first || !newest || newest <= first
  if (button.hidden) return !newest === !first
  button.textContent = `${Number(newest) - Number(first)} new · show`
  return true
}

/** Shows a list as it is now, though somebody reads it. */
export async function showNew() {
  isAsked = true
  await refresh(null)
  isAsked = false
}
let isAsked = false

/** This page as the mock shows it now; `null`, and a message at the top of the page, if it does not. */
async function load() {
  try {
    const signal = AbortSignal.timeout(10_000)
    const response = await fetch(location.href, { headers: { accept: 'text/html' }, signal })
    const fresh = new DOMParser().parseFromString(await response.text(), 'text/html')
    // The main world answers for a closed session.
    const isClosed = response.status === 404 && fresh.body.dataset['prefix'] !== prefix
    if (isClosed) return showAway(`The session ${session} was closed at`, '.', 'the session was closed')
    if (response.status === 404 && document.querySelector('main [data-parts]')) {
      return showAway('This page has not existed since', ': the world was reset.', 'this page no longer exists')
    }
    showAway('')
    return fresh
  } catch {
    const text = `The ${server} has not been reachable since`
    return showAway(text, `. The page continues when the ${server} is back.`, `the ${server} is not reachable`)
  }
}

/**
 * Says what has become of the mock, and since when; nothing if it is reachable.
 * @param {string} text @param {string} end @param {string} why
 */
function showAway(text, end = '', why = '') {
  reason = why
  const away = document.getElementById('away')
  if (away === null) return null
  if (text === '') {
    away.textContent = ''
  } else if (!away.textContent.startsWith(text)) {
    away.textContent = `${text} ${new Date().toLocaleTimeString()}${end}`
    stopClock()
  }
  return null
}

/** What somebody typed, chose or opened stays as it is. So do a formatted text, and a row whose answer is being recorded. */
const KEEP_WHAT_PEOPLE_DID = {
  /** @param {Node} node */
  beforeNodeMorphed: (node) => !isChanged(node) && !(node instanceof HTMLElement && node.matches('.payload.shown')),
  /** @param {Node} node */
  beforeNodeRemoved: (node) => !(node instanceof HTMLElement && node.matches('.problem, .asked')),
  /** @param {string} name @param {Element} element */
  beforeAttributeUpdated: (name, element) =>
    name !== 'aria-busy' && !(name === 'open' && element instanceof HTMLDetailsElement),
}

/** Whether somebody uses this field, or it has another value than it came with. @param {Node} field */
function isChanged(field) {
  if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) {
    const isTicked = field instanceof HTMLInputElement && field.checked !== field.defaultChecked
    return field === document.activeElement || field.value !== field.defaultValue || isTicked
  }
  if (!(field instanceof HTMLSelectElement)) return false
  const first = [...field.options].findIndex(({ defaultSelected }) => defaultSelected)
  return field === document.activeElement || field.selectedIndex !== Math.max(0, first)
}
