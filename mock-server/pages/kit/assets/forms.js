/*
 * Forms that send a request to the control API: `data-api` has the method and path, the fields and `data-body` the
 * body. They work only with this script, so there is one way to send, errors appear at their fields, and the focus
 * stays.
 */

import { absence, refresh } from './live.js'

const { prefix = '', api: control = '', server = '' } = document.body.dataset

/** @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Field */

/** @param {SubmitEvent} event */
export function onSubmit(event) {
  const form = event.target
  if (!(form instanceof HTMLFormElement) || form.dataset['api'] === undefined) return
  event.preventDefault()
  // A double click would invite a candidate twice.
  if (form.dataset['busy'] !== undefined) return
  form.dataset['busy'] = ''
  void send(form).finally(() => delete form.dataset['busy'])
}

/** @param {HTMLFormElement} form */
async function send(form) {
  const response = await call(form.dataset['api'] ?? '', bodyOf(form))
  if (!response.ok) return showProblem(form, response.message)
  toast(filled(form.dataset['done'] ?? 'Done', response.result, String))
  const { to, toMany = to } = form.dataset
  const isMany = (response.result.invites?.length ?? 1) > 1
  if (to !== undefined)
    return location.assign(prefix + filled((isMany ? toMany : to) ?? '', response.result, encodeURIComponent))
  const popover = form.closest('[popover]')
  if (popover instanceof HTMLElement) popover.hidePopover()
  await refresh(null)
}

/**
 * @param {string} api A method and a path. @param {string} body
 * @returns {Promise<{ ok: true, result: any } | { ok: false, message: string }>}
 */
export async function call(api, body = '{}') {
  const [method = 'POST', path = ''] = api.split(' ')
  if (absence() !== '') {
    void refresh(null)
    return { ok: false, message: `Not sent: ${absence()}.` }
  }
  try {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(control + path, method === 'DELETE' ? { method } : { method, headers, body })
    const result = response.status === 204 ? {} : await response.json()
    return response.ok ? { ok: true, result } : { ok: false, message: result.error.message }
  } catch {
    return { ok: false, message: `Not sent: the ${server} is not reachable.` }
  }
}

/** The body that the fields make. @param {HTMLFormElement} form */
function bodyOf(form) {
  clearProblems(form)
  /** @type {Record<string, any>} */
  const body = JSON.parse(form.dataset['body'] ?? '{}')
  for (const field of fieldsOf(form)) {
    const value = valueIn(field)
    const [name = '', member] = field.name.split('.')
    if (field.dataset['type'] === 'members') Object.assign(body, value)
    else if (value !== '' && member !== undefined) body[name] = { ...body[name], [member]: value }
    else if (value !== '' && name !== '') body[name] = value
  }
  return JSON.stringify(body)
}

/** @param {Field} field */
function valueIn(field) {
  const { type } = field.dataset
  if (type === 'boolean' && field instanceof HTMLInputElement) return field.checked
  if (field.value === '') return ''
  if (type === 'utc') return new Date(`${field.value}Z`).toISOString()
  return type === 'json' || type === 'members' ? JSON.parse(field.value) : field.value
}

/** @param {HTMLFormElement} form @returns {Field[]} */
function fieldsOf(form) {
  return [...form.querySelectorAll('input, select, textarea')].map((each) => /** @type {Field} */ (each))
}

/**
 * A text with members of a result in the place of their paths.
 * @param {string} text @param {any} result @param {(value: any) => string} written
 */
function filled(text, result, written) {
  const member = (/** @type {string} */ path) => path.split('.').reduce((value, name) => Object(value)[name], result)
  return text.replaceAll(/\{([\w.]+)\}/g, (_, path) => written(member(path)))
}

/* Problems. */

/**
 * Shows a problem at the field that it names, in the words of the form; else at the form.
 * @param {HTMLFormElement} form @param {string} message
 */
function showProblem(form, message) {
  const text = message.replace(/^[^:]* (?:cannot be used|cannot be created): /, '')
  const fields = fieldsOf(form).filter(({ type, dataset }) => type !== 'checkbox' && dataset['type'] !== 'members')
  const named =
    fields.find(({ name }) => name !== '' && text.includes(name)) ?? (fields.length === 1 ? fields[0] : undefined)
  if (named && form.matches('.fields')) return markField(named, named.value === '' ? text : hintFor(named, text))
  const problem = document.createElement('p')
  problem.className = 'problem'
  problem.setAttribute('role', 'alert')
  problem.textContent = text
  if (form.matches('.fields')) form.prepend(problem)
  else (form.closest('.buttons, .line') ?? form).before(problem)
}

/** @param {Field} field @param {string} text */
function hintFor(field, text) {
  const { hint } = field.dataset
  if (hint !== undefined) return `${field.value} cannot be used. ${hint}`
  const label = field.labels?.[0]?.firstChild?.textContent?.trim() ?? field.name
  return text.replace(field.name, label)
}

/** @param {Field} field @param {string} text */
function markField(field, text) {
  const problem = document.createElement('span')
  problem.className = 'problem'
  problem.id = `problem-${field.form?.id}-${field.name}`
  problem.textContent = text
  field.after(problem)
  field.setAttribute('aria-invalid', 'true')
  field.setAttribute('aria-describedby', problem.id)
  field.focus()
}

/** @param {HTMLFormElement} form */
function clearProblems(form) {
  const around = form.matches('.fields') ? form : (form.closest('section') ?? form)
  for (const problem of around.querySelectorAll('.problem')) problem.remove()
  for (const field of form.querySelectorAll('[aria-invalid]')) {
    field.removeAttribute('aria-invalid')
    field.removeAttribute('aria-describedby')
  }
}

/* The outcome of somebody's action. Nothing else is announced: other changes are visible. */

const SHOWN_MS = 4000
/** With a button: long enough to read it, and to reach it. */
const OFFERED_MS = 20_000

/** Screen readers announce it too. @param {string} text @param {string} [label] of a button @param {() => void} act */
export function toast(text, label, act = () => toast('')) {
  const status = document.getElementById('status')
  if (status === null) return
  status.replaceChildren(text)
  if (label !== undefined) {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'quiet'
    button.textContent = label
    button.addEventListener('click', act)
    status.append(' ', button)
  }
  clearTimeout(fading)
  fading = setTimeout(() => status.replaceChildren(), label === undefined ? SHOWN_MS : OFFERED_MS)
}
/** @type {ReturnType<typeof setTimeout> | undefined} */
let fading
