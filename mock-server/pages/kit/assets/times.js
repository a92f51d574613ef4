/* Times in the zone of the reader, or in UTC; and the clock of the product, which runs between two updates. */

/** The formats of a zone; `undefined`: the reader's. @param {string | undefined} timeZone */
function formatsIn(timeZone) {
  /** @type {Intl.DateTimeFormatOptions} */
  const short = { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone }
  return {
    thisYear: new Intl.DateTimeFormat(undefined, { ...short, second: '2-digit' }),
    otherYear: new Intl.DateTimeFormat(undefined, { ...short, year: 'numeric' }),
    // A zone that is not the reader's is named.
    clock: new Intl.DateTimeFormat(undefined, { ...short, ...(timeZone && { timeZoneName: 'short' }) }),
  }
}

const ZONE_KEY = 'certify zone'
const zones = { local: formatsIn(undefined), utc: formatsIn('UTC') }

function formats() {
  return localStorage.getItem(ZONE_KEY) === 'utc' ? zones.utc : zones.local
}

/** Changes between the reader's zone and UTC. */
export function changeZone() {
  localStorage.setItem(ZONE_KEY, formats() === zones.utc ? 'local' : 'utc')
  showTimes(document)
}

/** @param {ParentNode} root */
export function showTimes(root) {
  const { thisYear, otherYear, clock } = formats()
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
    for (const { time, from } of clocks) time.textContent = formats().clock.format(from + performance.now() - since)
  }, 1000)
}

export function stopClock() {
  clearInterval(ticking)
}
/** @type {ReturnType<typeof setInterval> | undefined} */
let ticking
