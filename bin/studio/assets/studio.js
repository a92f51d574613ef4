/* Decisions by keys, for one record or for all that are selected. */

import { call, toast } from '../kit/assets/forms.js'
import { refresh } from '../kit/assets/live.js'

/** @typedef {{ reference: string, of: string, state: string, email: string }} Create */

/** What was decided last, so that it can be undone. @type {Create[]} */
let last = []
/** One after the other: an answer may be given before the one before it is recorded. */
let turn = Promise.resolve()

/* Rows. */

const rows = () => [...document.querySelectorAll('.decision:not([aria-busy])')]
const boxIn = (/** @type {Element} */ row) => row.querySelector('input')
const selected = () => rows().filter((row) => boxIn(row)?.checked)

/** The row that has the focus; else the first one. */
function rowNow() {
  return document.activeElement?.closest('.decision:not([aria-busy])') ?? rows()[0]
}

/** @param {Element | undefined} row */
function focusOn(row) {
  const name = row?.querySelector('.name')
  if (!(name instanceof HTMLElement)) return
  name.focus()
  row?.scrollIntoView({ block: 'nearest' })
}

function countSelected() {
  for (const place of document.querySelectorAll('[data-selected]')) place.textContent = String(selected().length)
}

document.addEventListener('change', ({ target }) => {
  if (!(target instanceof HTMLInputElement) || target.type !== 'checkbox') return
  if (target.matches('[data-all]')) {
    for (const row of target.closest('.group')?.querySelectorAll('.decision:not([aria-busy])') ?? []) {
      const box = boxIn(row)
      if (box !== null) box.checked = target.checked
    }
  }
  countSelected()
})

/* Answers. */

document.addEventListener('submit', (event) => {
  const form = event.target
  if (!(form instanceof HTMLFormElement) || form.dataset['decision'] === undefined) return
  event.preventDefault()
  const { decision, done = '', create } = form.dataset
  const own = create === undefined ? selected() : [form.closest('.decision')].flatMap((row) => row ?? [])
  const creates = create === undefined ? own.map((row) => row.getAttribute('data-create') ?? '') : [create]
  const fields = Object.fromEntries(new FormData(form))
  const popover = form.closest('[popover]')
  if (creates.length === 0 || !(popover instanceof HTMLElement)) return
  const all = rows()
  const from = all.findLastIndex((row) => own.includes(row))
  const isOther = (/** @type {Element} */ row) => !own.includes(row)
  const next = all.slice(from + 1).find(isOther) ?? all.findLast(isOther)
  popover.hidePopover()
  form.reset()
  for (const row of own) row.setAttribute('aria-busy', 'true')
  focusOn(next)
  turn = turn.then(() =>
    answer(
      creates.map((text) => JSON.parse(text)),
      { ...fields, decision },
      done,
      own,
    ),
  )
})

/**
 * Sends one answer about each create. One that fails stays as it is.
 * @param {Create[]} creates @param {object} about @param {string} done @param {Element[]} [own]
 */
async function answer(creates, about, done, own = []) {
  const problems = []
  const recorded = []
  for (const create of creates) {
    const answered = await call('POST /resolve', JSON.stringify({ ...create, ...about }))
    if (answered.ok) recorded.push({ ...create, state: answered.result.state })
    else problems.push(`${create.email}: ${answered.message}`)
  }
  for (const [index, row] of own.entries()) {
    const box = boxIn(row)
    if (box !== null) box.checked = false
    row.removeAttribute('aria-busy')
    if (recorded.some(({ reference }) => reference === creates[index]?.reference)) removeRow(row)
  }
  countSelected()
  const isUndo = /** @type {{ decision?: string }} */ (about).decision === 'undo'
  last = isUndo ? [] : recorded
  const what = recorded.length === 1 ? `${done}: ${recorded[0]?.email}.` : `${done}: ${recorded.length} records.`
  const [problem] = problems
  const more = problems.length > 1 ? ` ${problems.length - 1} more could not be recorded.` : ''
  const text = `${recorded.length === 0 ? '' : what}${problem === undefined ? '' : ` Not recorded: ${problem}${more}`}`
  toast(text.trim(), last.length > 0 || problem !== undefined ? buttonFor(last) : undefined)
  void refresh(null)
}

/** @param {Element} row */
function removeRow(row) {
  const group = row.closest('.group')
  row.remove()
  if (group?.querySelector('.decision') === null) group.remove()
}

/** @param {Create[]} decided */
function buttonFor(decided) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'quiet'
  button.textContent = decided.length > 0 ? 'Undo' : 'Close'
  button.addEventListener('click', () => (decided.length > 0 ? undo() : toast('')))
  return button
}

function undo() {
  turn = turn.then(undoLast)
}

async function undoLast() {
  if (last.length > 0) await answer(last, { decision: 'undo' }, 'Undone')
  else toast('Nothing was decided on this page')
}

/* Keys. */

/** @type {Record<string, () => void>} */
const KEYS = {
  j: () => move(1),
  k: () => move(-1),
  e: () => open('created'),
  n: () => open('not-created'),
  a: () => press(rowNow(), '[data-copy]'),
  u: undo,
  x() {
    const row = rowNow()
    const box = row && boxIn(row)
    if (!box) return
    box.click()
    focusOn(row)
  },
}

/** @param {number} by */
function move(by) {
  const all = rows()
  const at = all.findIndex((row) => row.contains(document.activeElement))
  focusOn(all[at < 0 ? 0 : Math.min(Math.max(at + by, 0), all.length - 1)])
}

/** @param {string} decision */
function open(decision) {
  const place =
    selected().length > 0 ? document.querySelector('.selected') : (rowNow() ?? document.getElementById('record'))
  press(place ?? undefined, `[data-answer="${decision}"]`)
}

/** @param {Element | undefined} place @param {string} selector */
function press(place, selector) {
  const button = place?.querySelector(selector)
  if (button instanceof HTMLElement) button.click()
}

document.addEventListener('keydown', (event) => {
  const { key, target } = event
  const act = Object.hasOwn(KEYS, key) ? KEYS[key] : undefined
  if (act === undefined || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return
  if (target instanceof Element && target.matches('input:not([type=checkbox]), select, textarea')) return
  if (document.querySelector('[popover]:popover-open') !== null) return
  event.preventDefault()
  act()
})
