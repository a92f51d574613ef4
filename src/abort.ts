import type { AbortSignalLike } from './transport/fetch.ts'

/**
 * Calls a function when a signal is aborted; not if it already is. Returns a function that cancels this.
 *
 * A signal has one listener, however many calls share it: with eleven, Node.js would warn of a leak.
 */
export function onAbort(signal: AbortSignalLike | undefined, callBack: () => void): () => void {
  if (signal === undefined) return () => {}
  const { callBacks, listener } = sharedBySignal.get(signal) ?? share(signal)
  if (callBacks.size === 0) signal.addEventListener('abort', listener)
  callBacks.add(callBack)
  return () => {
    callBacks.delete(callBack)
    if (callBacks.size === 0) signal.removeEventListener('abort', listener)
  }
}

function share(signal: AbortSignalLike) {
  const callBacks = new Set<() => void>()
  const listener = () => {
    for (const callBack of callBacks) callBack()
  }
  const shared = { callBacks, listener }
  sharedBySignal.set(signal, shared)
  return shared
}

const sharedBySignal = new WeakMap<AbortSignalLike, ReturnType<typeof share>>()
