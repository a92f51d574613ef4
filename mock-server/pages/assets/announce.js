/** Shows a text, which screen readers announce. @param {string} text */
export function announce(text) {
  const status = document.getElementById('status')
  if (status) status.textContent = text
  clearTimeout(fading)
  fading = setTimeout(() => status?.replaceChildren(), 6000)
}
/** @type {ReturnType<typeof setTimeout> | undefined} */
let fading
