/* Copies texts, and sends requests to the control API. */

import { announce } from './announce.js'
import './live.js'

const prefix = document.body.dataset['prefix'] ?? ''
const control = `${prefix}/__mock`

/* Copying. */

document.addEventListener('click', (event) => {
  const button = event.target instanceof Element ? event.target.closest('[data-copy]') : null
  if (!(button instanceof HTMLElement)) return
  navigator.clipboard.writeText(button.dataset['copy'] ?? '').then(
    () => announce('Copied.'),
    () => announce('The browser did not allow the copy.'),
  )
})

/* Forms that send a request to the control API: `data-api` has the method and path, the fields and `data-body` the body. */

document.addEventListener('submit', (event) => {
  const form = event.target
  if (!(form instanceof HTMLFormElement) || form.dataset['api'] === undefined) return
  event.preventDefault()
  void callControlApi(form)
})

/** @param {HTMLFormElement} form */
async function callControlApi(form) {
  const [method = 'POST', path = ''] = (form.dataset['api'] ?? '').split(' ')
  showProblem(form, '')
  try {
    const body = method === 'DELETE' ? undefined : await bodyOf(form)
    const response = await fetch(control + path, {
      method,
      ...(body !== undefined && { body, headers: { 'content-type': 'application/json' } }),
    })
    if (response.ok) return announce(await resultOf(response))
    const { error } = await response.json()
    showProblem(form, error.message)
  } catch (error) {
    showProblem(form, error instanceof SyntaxError ? 'That is not JSON.' : 'The mock does not answer.')
  }
}

/** Announces a problem. A form with fields of its own shows it until it is sent again. @param {HTMLFormElement} form @param {string} text */
function showProblem(form, text) {
  form.querySelector('.problem')?.remove()
  if (text === '') return
  announce(text)
  if (!form.matches('.fields')) return
  const problem = document.createElement('p')
  problem.className = 'problem'
  problem.textContent = text
  form.prepend(problem)
}

/** What was done. Of a callback that is sent again, what it waits for. @param {Response} response */
async function resultOf(response) {
  const { type, nextAttemptAt, waitsBehind } = response.status === 204 ? {} : await response.json()
  if (waitsBehind === undefined) return 'Done.'
  if (waitsBehind !== null) return `${type} waits again, behind ${waitsBehind}.`
  return nextAttemptAt === null ? `${type} waits: callbacks are paused.` : `${type} is sent again now.`
}

/** @param {HTMLFormElement} form */
async function bodyOf(form) {
  const fields = [...form.elements].filter((each) => 'name' in each && each.name !== '')
  const whole = fields.find((each) => each instanceof HTMLElement && each.dataset['whole'] !== undefined)
  if (whole instanceof HTMLTextAreaElement) return JSON.stringify(JSON.parse(whole.value))
  const body = JSON.parse(form.dataset['body'] ?? '{}')
  for (const field of fields) {
    if (!(field instanceof HTMLInputElement || field instanceof HTMLSelectElement) || field.value === '') continue
    const { type } = field.dataset
    if (type === 'utc') body[field.name] = new Date(`${field.value}Z`).toISOString()
    else body[field.name] = type === 'json' ? JSON.parse(field.value) : field.value
  }
  return JSON.stringify(body)
}

/* Ctrl Enter sends the form of a text area. */

document.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
  if (event.target instanceof HTMLTextAreaElement) event.target.form?.requestSubmit()
})
