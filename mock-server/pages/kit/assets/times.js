/* Times on the clock of the reader, with UTC on hover; and the clock of the world, which runs between two updates. */

/** @type {Intl.DateTimeFormatOptions} */
const SHORT = { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }
const THIS_YEAR = new Intl.DateTimeFormat(undefined, SHORT)
const OTHER_YEAR = new Intl.DateTimeFormat(undefined, { ...SHORT, year: 'numeric' })

/** @param {ParentNode} root */
export function showLocalTimes(root) {
  const now = root.querySelector('.clock time')?.getAttribute('datetime') ?? new Date().toISOString()
  for (const time of root.querySelectorAll('time')) {
    const format = time.dateTime.slice(0, 4) === now.slice(0, 4) ? THIS_YEAR : OTHER_YEAR
    time.title = `${time.dateTime.slice(0, 19).replace('T', ' ')} UTC`
    time.textContent = format.format(new Date(time.dateTime))
  }
}

/** Runs on from the time that the page has just received. */
export function runClock() {
  stopClock()
  const since = performance.now()
  const clocks = [...document.querySelectorAll('time[data-ticking]')].map((time) => {
    const { dateTime } = /** @type {HTMLTimeElement} */ (time)
    return { time, from: Date.parse(dateTime) }
  })
  ticking = setInterval(() => {
    for (const { time, from } of clocks) time.textContent = THIS_YEAR.format(from + performance.now() - since)
  }, 1000)
}

export function stopClock() {
  clearInterval(ticking)
}
/** @type {ReturnType<typeof setInterval> | undefined} */
let ticking
