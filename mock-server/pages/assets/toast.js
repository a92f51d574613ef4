/* Says what became of what somebody did. Nothing else is said here: what changes by itself is seen. */

const SHOWN_MS = 4000

/** Screen readers say it, too. @param {string} text */
export function toast(text) {
  const status = document.getElementById('status')
  if (status === null) return
  status.textContent = text
  clearTimeout(fading)
  fading = setTimeout(() => status.replaceChildren(), SHOWN_MS)
}
/** @type {ReturnType<typeof setTimeout> | undefined} */
let fading
