/* Times in the zone of the reader; and the clock of the product, which runs between two updates. */

/** @type {Intl.DateTimeFormatOptions} */
const SHORT = { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }
const thisYear = new Intl.DateTimeFormat(undefined, { ...SHORT, second: '2-digit' })
const otherYear = new Intl.DateTimeFormat(undefined, { ...SHORT, year: 'numeric' })
const clock = new Intl.DateTimeFormat(undefined, SHORT)

/** @param {ParentNode} root */
export function showTimes(root) {
  const now = root.querySelector('.clock time')?.getAttribute('datetime') ?? new Date().toISOString()
  for (const time of root.querySelectorAll('time')) {
    const format = time.closest('.clock-time')
      ? clock
      : time.dateTime.slice(0, 4) === now.slice(0, 4)
        ? thisYear
        : otherYear
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
    for (const { time, from } of clocks) time.textContent = clock.format(from + performance.now() - since)
  }, 1000)
}

export function stopClock() {
  clearInterval(ticking)
}
/** @type {ReturnType<typeof setInterval> | undefined} */
let ticking
