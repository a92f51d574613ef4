/* A clock that follows real time runs between two updates. */

/** Runs from the time that the page has got just now. */
export function runClock() {
  stopClock()
  const time = document.querySelector('[data-ticking]')
  if (!(time instanceof HTMLTimeElement)) return
  const since = performance.now()
  const from = Date.parse(time.dateTime)
  ticking = setInterval(() => {
    const iso = new Date(from + performance.now() - since).toISOString()
    time.textContent = `${iso.slice(0, 10)} ${iso.slice(11, 19)}`
  }, 500)
}

export function stopClock() {
  clearInterval(ticking)
}
/** @type {ReturnType<typeof setInterval> | undefined} */
let ticking
