/** Shows the answer to what somebody did. Screen readers announce it. @param {string} text */
export function announce(text) {
  answer = text
  show(text)
}

/** Shows what has changed by itself, after an answer that is still there: it must not replace it. @param {string} text */
export function announceChange(text) {
  show(answer === '' ? text : `${answer} ${text}`)
}

/** @param {string} text */
function show(text) {
  const status = document.getElementById('status')
  if (status) status.textContent = text
  clearTimeout(fading)
  fading = setTimeout(() => {
    answer = ''
    status?.replaceChildren()
  }, 6000)
}
let answer = ''
/** @type {ReturnType<typeof setTimeout> | undefined} */
let fading
