/* Questions before what cannot be undone, the import of a state, and forms that are sent once. */

document.addEventListener('submit', (event) => {
  const { target } = event
  if (!(target instanceof HTMLFormElement)) return
  // After the answer to its question, the button has the focus again.
  const question = target.closest('details.ask')
  if (question) {
    question.removeAttribute('open')
    question.querySelector('summary')?.focus()
  }
  // The browser would send a form again at a second click, and a candidate would be invited twice.
  if (target.dataset['once'] !== undefined) {
    if (target.dataset['sent'] !== undefined) event.preventDefault()
    target.dataset['sent'] = ''
    setTimeout(() => target.querySelector('button')?.setAttribute('disabled', ''))
  }
})

/* A page that the browser shows again from its memory can be sent again. */
addEventListener('pageshow', ({ persisted }) => {
  if (!persisted) return
  for (const form of document.querySelectorAll('form[data-sent]')) {
    form.removeAttribute('data-sent')
    form.querySelector('button')?.removeAttribute('disabled')
  }
})

/* One question is open at a time; Escape and a click elsewhere close it. */

/** @param {EventTarget | null} kept */
function closeQuestions(kept) {
  for (const question of document.querySelectorAll('details.ask[open]')) {
    if (!(kept instanceof Node && question.contains(kept))) question.removeAttribute('open')
  }
}
document.addEventListener('click', ({ target }) => closeQuestions(target))
document.addEventListener('keydown', ({ key, target }) => {
  if (key !== 'Escape' || !(target instanceof Element)) return
  const question = target.closest('details.ask[open]')
  closeQuestions(null)
  question?.querySelector('summary')?.focus()
})

/* A file with a state replaces everything: the page asks first. The field is emptied, so that the same file can be chosen again. */

document.addEventListener('change', ({ target }) => {
  if (target instanceof HTMLInputElement && target.dataset['import'] !== undefined) void askAndImport(target)
})

/** @param {HTMLInputElement} field */
async function askAndImport(field) {
  const [file] = field.files ?? []
  const dialog = document.getElementById(field.dataset['import'] ?? '')
  const text = dialog?.querySelector('textarea')
  const name = dialog?.querySelector('.file-name')
  if (!file || !(dialog instanceof HTMLDialogElement) || !text || !name) return
  text.value = await file.text()
  name.textContent = file.name
  field.value = ''
  dialog.showModal()
}

document.addEventListener('submit', ({ target }) => {
  if (target instanceof HTMLFormElement) target.closest('dialog')?.close()
})
document.addEventListener('click', ({ target }) => {
  if (target instanceof HTMLButtonElement && target.dataset['close'] !== undefined) target.closest('dialog')?.close()
})
