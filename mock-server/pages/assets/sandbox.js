/* What somebody does in the sandbox: copying requests, and adding faults. */

import { bodyOf, toast } from '../kit/assets/forms.js'
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
  if (sentence) sentence.textContent = faultSentence(JSON.parse(bodyOf(form)))
})
