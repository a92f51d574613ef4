import type { AbortSignalLike } from './transport/fetch.ts'

/**
 * Calls a function when a signal is aborted; not if it already is. Returns a function that cancels this.
 *
 * A signal has one listener, however many calls share it: with eleven, Node.js would warn of a leak.
 */
export function onAbort(signal: AbortSignalLike | undefined, callBack: () => void): () => void {
  if (signal === undefined) return () => {}
  const callBacks = sharedBySignal.get(signal) ?? new CallBacks()
  sharedBySignal.set(signal, callBacks)
  if (callBacks.size === 0) signal.addEventListener('abort', callBacks.run)
  callBacks.add(callBack)
  return () => {
    callBacks.delete(callBack)
    if (callBacks.size === 0) signal.removeEventListener('abort', callBacks.run)
  }
}

class CallBacks extends Set<() => void> {
  readonly run = () => this.forEach((callBack) => callBack())
}

const sharedBySignal = new WeakMap<AbortSignalLike, CallBacks>()
