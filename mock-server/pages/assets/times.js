/* Times on the clock of the reader, with UTC on hover; and the clock of the world, which runs between two updates. */

const DAY_AND_TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const CLOCK = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
})

/** @param {ParentNode} root */
export function showLocalTimes(root) {
  for (const time of root.querySelectorAll('time')) {
    const moment = new Date(time.dateTime)
    time.title = `${time.dateTime.slice(0, 19).replace('T', ' ')} UTC`
    time.textContent = (time.closest('.clock') ? CLOCK : DAY_AND_TIME).format(moment)
  }
}

/** Runs from the time that the page has got just now. */
export function runClock() {
  stopClock()
  const since = performance.now()
  const clocks = [...document.querySelectorAll('time[data-ticking]')].map((time) => {
    const { dateTime } = /** @type {HTMLTimeElement} */ (time)
    return { time, from: Date.parse(dateTime), format: time.closest('.clock') ? CLOCK : DAY_AND_TIME }
  })
  ticking = setInterval(() => {
    for (const { time, from, format } of clocks) time.textContent = format.format(from + performance.now() - since)
  }, 500)
}

export function stopClock() {
  clearInterval(ticking)
}
/** @type {ReturnType<typeof setInterval> | undefined} */
let ticking
