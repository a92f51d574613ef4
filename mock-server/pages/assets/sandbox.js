/* What somebody does in the sandbox: copying requests, acting for several candidates, adding faults, and importing. */

import { bodyOf, call, toast } from '../kit/assets/forms.js'
import { refresh } from '../kit/assets/live.js'
import { copy, onClick } from '../kit/assets/page.js'
import { faultSentence } from './fault-sentence.js'
import { cliCommand, curlCommand, sdkCode } from './snippets.js'

const SNIPPETS = {
  curl: { make: curlCommand, name: 'curl command' },
  sdk: { make: sdkCode, name: 'SDK code' },
  cli: { make: cliCommand, name: 'CLI command' },
}

onClick('[data-copy-as]', (button) => {
  const request = JSON.parse(button.closest('[data-request]')?.getAttribute('data-request') ?? '{}')
  const { make, name } = SNIPPETS[/** @type {keyof typeof SNIPPETS} */ (button.dataset['copyAs'])]
  const text = make(request)
  if (text === null) toast(`There is no ${name} for this request`)
  else void copy(text, `Copied the ${name}`)
})

/* The form of a fault says what its rule would do. */

document.addEventListener('input', ({ target }) => {
  const form = target instanceof HTMLElement && target.closest('form')
  const sentence = form && form.querySelector('[data-sentence]')
  const body = sentence && bodyOf(form)
  if (body) sentence.textContent = faultSentence(JSON.parse(body))
})

/* Several invites at once. */

document.addEventListener('change', ({ target }) => {
  if (!(target instanceof HTMLElement)) return
  if (target instanceof HTMLInputElement && target.dataset['selectAll'] !== undefined) {
    for (const box of boxes()) box.checked = target.checked
  }
  if (target.matches('[data-select], [data-select-all]')) countSelected()
  if (target instanceof HTMLInputElement && target.dataset['import'] !== undefined) void askAndImport(target)
})

onClick('[data-selected]', (button) => void actForSelected(button))

/** @param {HTMLElement} button */
async function actForSelected(button) {
  const act = button.dataset['selected'] ?? ''
  const selected = boxes().filter(({ checked }) => checked)
  /** @type {string[]} */
  const refused = []
  for (const box of selected) {
    const response = await call(`POST /invites/${box.dataset['select']}/${act}`)
    if (!response.ok) refused.push(response.message)
    box.checked = false
  }
  const words = `${selected.length - refused.length} of ${selected.length} invites: ${button.textContent.toLowerCase()}`
  toast(refused.length === 0 ? words : `${words}; ${refused.length} could not. ${[...new Set(refused)].join(' ')}`)
  countSelected()
  await refresh(null)
}

/** @returns {HTMLInputElement[]} */
function boxes() {
  return [...document.querySelectorAll('[data-select]')].filter((each) => each instanceof HTMLInputElement)
}

function countSelected() {
  const number = boxes().filter(({ checked }) => checked).length
  document.getElementById('selected-count')?.replaceChildren(`${number} selected`)
  for (const button of document.querySelectorAll('[data-selected]')) button.toggleAttribute('disabled', number === 0)
  const all = document.querySelector('[data-select-all]')
  if (all instanceof HTMLInputElement) all.checked = number > 0 && number === boxes().length
}

/* A file with a state replaces everything: the page asks first. The field is emptied, so that the same file can be chosen again. */

/** @param {HTMLInputElement} field */
async function askAndImport(field) {
  const [file] = field.files ?? []
  const question = document.getElementById(field.dataset['import'] ?? '')
  const text = question?.querySelector('textarea')
  if (!file || !text) return
  text.value = await file.text()
  question?.querySelector('.file-name')?.replaceChildren(file.name)
  field.value = ''
  question?.showPopover()
}
