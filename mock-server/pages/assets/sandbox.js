/* What somebody does in the sandbox: copying requests, acting for several candidates, adding faults, and importing. */

import { bodyOf, call, toast } from '../kit/assets/forms.js'
import { refresh } from '../kit/assets/live.js'
import { copy, onClick, selected, showSelected } from '../kit/assets/page.js'
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

onClick('[data-selected]', (button) => void actForSelected(button))

/** @param {HTMLElement} button */
async function actForSelected(button) {
  const act = button.dataset['selected'] ?? ''
  const boxes = selected()
  /** @type {string[]} */
  const refused = []
  for (const box of boxes) {
    const response = await call(`POST /invites/${box.dataset['select']}/${act}`)
    if (!response.ok) refused.push(response.message)
    box.checked = false
  }
  const words = `${boxes.length - refused.length} of ${boxes.length} invites: ${button.textContent.toLowerCase()}`
  toast(refused.length === 0 ? words : `${words}; ${refused.length} could not. ${[...new Set(refused)].join(' ')}`)
  showSelected()
  await refresh(null)
}

/* A file with a state replaces everything: the page asks first. The field is emptied, so that the same file can be chosen again. */

document.addEventListener('change', ({ target }) => {
  if (target instanceof HTMLInputElement && target.dataset['import'] !== undefined) void askAndImport(target)
})

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
