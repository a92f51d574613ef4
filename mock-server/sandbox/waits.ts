import type { MockPart } from '../contract/members.ts'
import type { Abortable, AbortSignalLike, MockServer } from '../contract/mock-server.ts'
import { parseWith } from '../contract/validation.ts'
import { callbackWait, DEFAULT_WAIT_MS, mailWait } from '../contract/options.ts'
import type { CallbackWait, MailWait } from '../generated/contract.ts'
import type { World } from '../world/world.ts'
import type { Callbacks } from './callbacks.ts'
import type { Changes } from './changes.ts'
import { mailRow } from './rows.ts'
import { realClearTimeout, realSetTimeout } from './unpatched-globals.ts'

/** What waits look at. */
interface Waited {
  readonly world: World
  readonly callbacks: Callbacks
  readonly changes: Changes
}

/** No row came in time, or the wait ended early. */
export class NoneCame extends Error {}

/** There is no row that `after` could refer to. */
export class UnknownAfter extends Error {}

/** The waits of one mock. */
export function waitsOf(parts: Waited): Pick<MockServer, 'waitForMail' | 'waitForCallback'> {
  const { changes } = parts
  return {
    async waitForMail({ signal, ...query } = {}) {
      const { timeoutMs } = parseWith(mailWait, query, WRONG)
      const newest = newestMail(parts, query)
      return firstRow(newest, { what: 'e-mail was sent', part: 'world', changes, timeoutMs, signal })
    },
    async waitForCallback({ signal, ...query } = {}) {
      const { timeoutMs } = parseWith(callbackWait, query, WRONG)
      const newest = newestCallback(parts, query)
      return firstRow(newest, { what: 'callback', part: 'callbacks', changes, timeoutMs, signal })
    },
  }
}

const WRONG = 'This wait is not valid'

/* Each finds the newest row that fits. If a reset has removed the known row, all others came after it. */

function newestMail({ world }: Waited, { to, after }: MailWait) {
  const indexOf = (inviteId: string): number => world.state.mails.findIndex((mail) => mail.inviteId === inviteId)
  if (after !== undefined && indexOf(after) === -1) {
    throw new UnknownAfter(`No e-mail of the invite ${JSON.stringify(after)} was sent.`)
  }
  return () => {
    const known = after === undefined ? -1 : indexOf(after)
    const key = to === undefined ? null : world.keyOf(to)
    const mail = world.state.mails.findLast(
      (each, index) => index > known && (key === null || world.keyOf(each.to) === key),
    )
    return mail && mailRow(mail)
  }
}

function newestCallback({ world, callbacks }: Waited, query: CallbackWait) {
  const { type, inviteId, email, status, after } = query
  const indexOf = (id: string): number => callbacks.all().findIndex((event) => event.id === id)
  if (after !== undefined && indexOf(after) === -1) {
    throw new UnknownAfter(`There is no callback ${JSON.stringify(after)}.`)
  }
  return () => {
    const known = after === undefined ? -1 : indexOf(after)
    const key = email === undefined ? null : world.keyOf(email)
    const found = callbacks
      .all()
      .findLast(
        (event, index) =>
          index > known &&
          (type === undefined || event.type === type) &&
          (inviteId === undefined || event.inviteId === inviteId) &&
          (key === null || event.candidateKey === key) &&
          (status === undefined || event.status === status),
      )
    return found && callbacks.row(found)
  }
}

interface Waiting extends Abortable {
  readonly timeoutMs: number | undefined
  /** What did not come, for the message. */
  readonly what: string
  /** Where such a row appears. */
  readonly part: MockPart
  readonly changes: Changes
}

/** Resolves with the newest row that fits, or with the first one to come. */
async function firstRow<Row>(newest: () => Row | undefined, waiting: Waiting): Promise<Row> {
  const { what, part, changes, timeoutMs = DEFAULT_WAIT_MS, signal } = waiting
  const present = newest()
  if (present) return present
  const disposers: (() => void)[] = []
  const nextRow = new Promise<Row>((resolve, reject) => {
    const fail = (why: string) => (): void => reject(new NoneCame(`No such ${what}: ${why}.`))
    const abort = fail('the wait was aborted')
    if (signal?.aborted) abort()
    const timer = realSetTimeout(fail(`none came within ${timeoutMs} ms`), timeoutMs)
    const unsubscribe = changes.subscribe((parts) => {
      const row = parts.includes(part) ? newest() : undefined
      if (row) resolve(row)
    })
    const forgetEnd = changes.onEnd(fail('the mock was closed'))
    disposers.push(() => realClearTimeout(timer), unsubscribe, forgetEnd, onAbort(signal, abort))
  })
  return nextRow.finally(() => {
    for (const dispose of disposers) dispose()
  })
}

/**
 * Calls a function when a signal is aborted. Returns a function that cancels this. A signal has one listener, however many
 * waits share it: with eleven, Node.js would warn of a leak.
 */
function onAbort(signal: AbortSignalLike | undefined, callBack: () => void): () => void {
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
  readonly run = (): void => this.forEach((callBack) => callBack())
}

const sharedBySignal = new WeakMap<AbortSignalLike, CallBacks>()
