/* Decisions by keys, for one record or for all that are selected. */

import { call, toast } from '../kit/assets/forms.js'
import { refresh } from '../kit/assets/live.js'
import { onClick, onKeys, selected, showSelected } from '../kit/assets/page.js'

/** @typedef {{ reference: string, of: string, state: string, email: string }} Create */

/** What was decided last, so that it can be undone. @type {Create[]} */
let last = []
/** One after the other: an answer may be given before the one before it is recorded. */
let turn = Promise.resolve()

/* Rows. One whose answer is being recorded is none any more. */

const rows = () => [...document.querySelectorAll('.decision:not([aria-busy])')]

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

/* Answers. */

document.addEventListener('submit', (event) => {
  const form = event.target
  if (!(form instanceof HTMLFormElement) || form.dataset['decision'] === undefined) return
  event.preventDefault()
  const { decision, done = '' } = form.dataset
  const place = form.closest('[data-create]')
  const own = place === null ? selected().flatMap((box) => box.closest('.decision') ?? []) : [place]
  const creates = own.map((row) => JSON.parse(row.getAttribute('data-create') ?? ''))
  const about = { ...Object.fromEntries(new FormData(form)), decision }
  const all = rows()
  const from = all.findLastIndex((row) => own.includes(row))
  const isOther = (/** @type {Element} */ row) => !own.includes(row)
  const next = all.slice(from + 1).find(isOther) ?? all.findLast(isOther)
  const question = form.closest('.question')
  if (question instanceof HTMLElement) question.hidePopover()
  form.reset()
  for (const row of own) {
    row.setAttribute('aria-busy', 'true')
    const box = row.querySelector('[data-select]')
    if (box instanceof HTMLInputElement) box.checked = false
  }
  showSelected()
  focusOn(next)
  turn = turn.then(() => answer(creates, about, done, own))
})

/**
 * Sends one answer about each create. One that fails stays as it is.
 * @param {Create[]} creates @param {{ decision?: string }} about @param {string} done @param {Element[]} own
 */
async function answer(creates, about, done, own = []) {
  const problems = []
  const recorded = []
  for (const [index, create] of creates.entries()) {
    const answered = await call('POST /resolve', JSON.stringify({ ...create, ...about }))
    if (answered.ok) {
      recorded.push({ ...create, state: answered.result.state })
      own[index]?.remove()
    } else {
      problems.push(`${create.email}: ${answered.message}`)
      own[index]?.removeAttribute('aria-busy')
    }
  }
  last = about.decision === 'undo' ? [] : recorded
  const what = recorded.length === 1 ? `${done}: ${recorded[0]?.email}.` : `${done}: ${recorded.length} records.`
  const more = problems.length > 1 ? ` ${problems.length - 1} more could not be recorded.` : ''
  const problem = problems.length === 0 ? '' : ` Not recorded: ${problems[0]}${more}`
  const text = `${recorded.length === 0 ? '' : what}${problem}`.trim()
  if (last.length > 0) toast(text, 'Undo', undo)
  else toast(text, problem === '' ? undefined : 'Close')
  void refresh(null)
}

function undo() {
  turn = turn.then(() =>
    last.length > 0 ? answer(last, { decision: 'undo' }, 'Undone') : toast('Nothing was decided on this page'),
  )
}

/* Who was asked: only this page knows, and only while it is open. */

onClick('.decision [data-copy]', (button) => {
  const mark = button.parentElement?.querySelector('.asked') ?? document.createElement('span')
  mark.className = 'asked small'
  mark.textContent = `asked ${new Date().toLocaleTimeString([], { timeStyle: 'short' })}`
  button.before(mark)
})

/* Keys. */

onKeys({
  j: () => move(1),
  k: () => move(-1),
  e: () => open('created'),
  n: () => open('not-created'),
  a: () => press(rowNow(), '[data-copy]'),
  u: undo,
  x() {
    const row = rowNow()
    press(row, '[data-select]')
    focusOn(row)
  },
})

/** @param {number} by */
function move(by) {
  const all = rows()
  const at = all.findIndex((row) => row.contains(document.activeElement))
  focusOn(all[at < 0 ? 0 : Math.min(Math.max(at + by, 0), all.length - 1)])
}

/** @param {string} decision */
function open(decision) {
  const place = selected().length > 0 ? document.querySelector('.selected') : rowNow()
  press(place ?? document.getElementById('record'), `[data-answer=${decision}]`)
}

/** @param {Element | null | undefined} place @param {string} selector */
function press(place, selector) {
  const button = place?.querySelector(selector)
  if (button instanceof HTMLElement) button.click()
}
