/* The changes of the mock, while somebody sees the page. Hidden pages need no stream: they look again when they are seen. */

const AGAIN_MS = 3000

/**
 * Tells which parts have changed; `null` where some changes may have been missed.
 * @param {string} address @param {(parts: readonly string[] | null) => void} tell
 */
export function listen(address, tell) {
  /** @type {EventSource | undefined} */
  let events
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let again
  const open = () => {
    events = new EventSource(address)
    events.addEventListener('open', () => tell(null))
    events.addEventListener('change', ({ data }) => tell(JSON.parse(data).parts))
    events.addEventListener('error', () => {
      // A browser connects again by itself, unless it got an answer that is no stream.
      if (events?.readyState === EventSource.CLOSED) again = setTimeout(open, AGAIN_MS)
      tell(null)
    })
  }
  const update = () => {
    clearTimeout(again)
    events?.close()
    if (!document.hidden) open()
  }
  document.addEventListener('visibilitychange', update)
  update()
}
