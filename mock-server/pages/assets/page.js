/* Keeps the page up to date, copies texts, and sends requests to the control API. */

const prefix = document.body.dataset['prefix'] ?? ''
const control = `${prefix}/__mock`

/* Updates: after a change in the mock, the sections about it are fetched again. */

/** @type {EventSource | undefined} */
let events
/** @type {Set<string>} */
const changed = new Set()
let isLoading = false

function listen() {
  events = new EventSource(`${control}/events`)
  // Shows the changes that happened before this connection.
  events.addEventListener('open', () => void refresh('world', 'clock', 'callbacks', 'faults', 'requestLog', 'sessions'))
  events.addEventListener('change', (event) => void refresh(...JSON.parse(event.data).parts))
}

/* A browser has few connections to one host: a hidden page uses none. */
document.addEventListener('visibilitychange', () => {
  events?.close()
  if (!document.hidden) listen()
})
listen()

/** @param {readonly string[]} parts */
async function refresh(...parts) {
  for (const part of parts) changed.add(part)
  if (isLoading) return
  isLoading = true
  try {
    while (changed.size > 0) {
      const stale = sections().filter((section) => partsOf(section).some((part) => changed.has(part)))
      changed.clear()
      if (stale.length > 0) await replace(stale)
    }
  } catch {
    announce('The mock does not answer.')
  } finally {
    isLoading = false
  }
}

/** @param {readonly HTMLElement[]} stale */
async function replace(stale) {
  const response = await fetch(location.href, { headers: { accept: 'text/html' } })
  const fresh = new DOMParser().parseFromString(await response.text(), 'text/html')
  for (const old of stale) {
    const next = fresh.getElementById(old.id)
    // An unchanged section stays, so that no button disappears during a click.
    if (next === null || old.isEqualNode(next) || isTypedIn(old) || hasProblem(old)) continue
    const focused = old.contains(document.activeElement) ? document.activeElement?.id : undefined
    const open = [...old.querySelectorAll('details[open]')].map(({ id }) => id)
    const summary = next.dataset['summary'] ?? ''
    if (summary !== old.dataset['summary'] && summary !== '') announce(`${titleOf(next)}: ${summary}`)
    old.replaceWith(document.adoptNode(next))
    for (const id of open) document.getElementById(id)?.setAttribute('open', '')
    if (focused) document.getElementById(focused)?.focus()
  }
  tick()
}

/** Whether a field in the section has the focus: such a section is not replaced. @param {HTMLElement} section */
function isTypedIn(section) {
  const { activeElement } = document
  return section.contains(activeElement) && activeElement?.matches('input, textarea, select') === true
}

/** Whether the section shows an error: a new request would not show it again. @param {HTMLElement} section */
function hasProblem(section) {
  return section.querySelector('.problem') !== null
}

/** @returns {HTMLElement[]} */
function sections() {
  return [...document.querySelectorAll('[data-parts]')].filter((each) => each instanceof HTMLElement)
}

/** @param {HTMLElement} section */
function partsOf(section) {
  return (section.dataset['parts'] ?? '').split(' ')
}

/** @param {HTMLElement} section */
function titleOf(section) {
  return section.querySelector('h2')?.textContent ?? section.getAttribute('aria-label') ?? ''
}

/** Shows a text, which screen readers announce. @param {string} text */
function announce(text) {
  const status = document.getElementById('status')
  if (status) status.textContent = text
  clearTimeout(fading)
  fading = setTimeout(() => status?.replaceChildren(), 6000)
}
/** @type {ReturnType<typeof setTimeout> | undefined} */
let fading

/* A clock that follows real time runs between two updates. */

function tick() {
  const time = document.querySelector('[data-ticking]')
  if (!(time instanceof HTMLTimeElement)) return
  const since = performance.now()
  const from = Date.parse(time.dateTime)
  clearInterval(ticking)
  ticking = setInterval(() => {
    const iso = new Date(from + performance.now() - since).toISOString()
    time.textContent = `${iso.slice(0, 10)} ${iso.slice(11, 19)}`
  }, 500)
}
/** @type {ReturnType<typeof setInterval> | undefined} */
let ticking
tick()

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
  if (!(form instanceof HTMLFormElement)) return
  if (form.id === 'console') void run(form)
  else if (form.dataset['api'] !== undefined) void callControlApi(form)
  else return
  event.preventDefault()
})
document.addEventListener('change', ({ target }) => {
  if (target instanceof HTMLInputElement && target.type === 'file' && target.form) void callControlApi(target.form)
  if (target instanceof HTMLSelectElement && target.name === 'example') choose(target)
})

/** @param {HTMLFormElement} form */
async function callControlApi(form) {
  const [method = 'POST', path = ''] = (form.dataset['api'] ?? '').split(' ')
  try {
    const body = method === 'DELETE' ? undefined : await bodyOf(form)
    const response = await fetch(control + path, {
      method,
      ...(body !== undefined && { body, headers: { 'content-type': 'application/json' } }),
    })
    if (response.ok) return announce(await resultOf(response))
    const { error } = await response.json()
    announce(error.message)
  } catch (error) {
    announce(error instanceof SyntaxError ? 'That is not JSON.' : 'The mock does not answer.')
  }
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
  if (whole instanceof HTMLInputElement) return (await whole.files?.[0]?.text()) ?? ''
  if (whole instanceof HTMLTextAreaElement) return JSON.stringify(JSON.parse(whole.value))
  const body = JSON.parse(form.dataset['body'] ?? '{}')
  for (const field of fields) {
    if (!(field instanceof HTMLInputElement || field instanceof HTMLSelectElement) || field.value === '') continue
    body[field.name] = field.dataset['type'] === 'json' ? JSON.parse(field.value) : field.value
  }
  return JSON.stringify(body)
}

/* The console. */

/** @param {HTMLFormElement} form */
async function run(form) {
  const answer = document.getElementById('answer')
  if (!answer) return
  const [key = '', query = '', variables = ''] = ['key', 'query', 'variables'].map((name) => fieldOf(form, name)?.value)
  try {
    const body = JSON.stringify({ query, variables: variables === '' ? {} : JSON.parse(variables) })
    const headers = { 'content-type': 'application/json', ...(key !== '' && { 'x-api-key': key }) }
    const response = await fetch(form.dataset['endpoint'] ?? '', { method: 'POST', headers, body })
    const text = await response.text()
    answer.textContent = `HTTP ${response.status}\n${indented(text)}`
  } catch (error) {
    answer.textContent =
      error instanceof SyntaxError ? `The variables are not JSON: ${error.message}` : 'There was no answer.'
  }
}

/** @param {string} text */
function indented(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/** @param {HTMLSelectElement} select */
function choose(select) {
  const { query, variables } = select.selectedOptions[0]?.dataset ?? {}
  if (select.form === null || query === undefined || variables === undefined) return
  const [first, second] = [fieldOf(select.form, 'query'), fieldOf(select.form, 'variables')]
  if (first) first.value = query
  if (second) second.value = variables
}

/** @param {HTMLFormElement} form @param {string} name */
function fieldOf(form, name) {
  const field = form.elements.namedItem(name)
  return field instanceof HTMLTextAreaElement || field instanceof HTMLSelectElement ? field : null
}

document.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
  if (event.target instanceof HTMLTextAreaElement) event.target.form?.requestSubmit()
})
