/* One stream of changes for all pages of a browser, which opens few connections to one host. */

/**
 * `open` and `lost`: the stream was opened, or it broke or could not be opened. Otherwise the parts that changed.
 * @typedef {'open' | 'lost' | readonly string[]} Message
 */

/** @param {string} address @param {(message: Message) => void} receive */
export function listen(address, receive) {
  // Browsers have locks for https and for this machine only. Elsewhere each page that is seen has a stream.
  if ('locks' in navigator) share(address, receive)
  else whileSeen(() => open(address, receive))
}

/**
 * The page that has the lock opens the stream, and passes its messages on. When it is closed, another one gets the lock.
 * @param {string} address @param {(message: Message) => void} receive
 */
function share(address, receive) {
  const name = `certify ${address}`
  const others = new BroadcastChannel(name)
  others.addEventListener('message', ({ data }) => receive(data))
  void navigator.locks.request(name, () => {
    open(address, (message) => {
      others.postMessage(message)
      receive(message)
    })
    return new Promise(() => {})
  })
  receive('open')
}

/** @param {() => () => void} begin */
function whileSeen(begin) {
  /** @type {(() => void) | undefined} */
  let end
  const update = () => {
    end?.()
    end = document.hidden ? undefined : begin()
  }
  document.addEventListener('visibilitychange', update)
  update()
}

/** Opens the stream, again and again where that fails. @param {string} address @param {(message: Message) => void} tell */
function open(address, tell) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let again
  /** @type {EventSource | undefined} */
  let events
  const begin = () => {
    events = new EventSource(address)
    events.addEventListener('open', () => tell('open'))
    events.addEventListener('change', ({ data }) => tell(JSON.parse(data).parts))
    events.addEventListener('error', () => {
      // A browser connects again by itself, unless it got an answer that is no stream.
      if (events?.readyState === EventSource.CLOSED) again = setTimeout(begin, AGAIN_MS)
      tell('lost')
    })
  }
  begin()
  return () => {
    clearTimeout(again)
    events?.close()
  }
}

const AGAIN_MS = 3000
