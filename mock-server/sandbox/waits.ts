import type { MockPart } from '../contract/members.ts'
import type { Abortable, AbortSignalLike, MockServer } from '../contract/mock-server.ts'
import { parseWith } from '../contract/validation.ts'
import { callbackWait, DEFAULT_WAIT_MS, mailWait } from '../contract/waits.ts'
import type { CallbackWait, MailWait } from '../generated/contract.ts'
import type { World } from '../world/world.ts'
import type { Callbacks } from './callbacks/callbacks.ts'
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

/** The waits of one mock. `closed` returns the signal that ends them. */
export function waitsOf(
  parts: Waited,
  closed: () => AbortSignalLike,
): Pick<MockServer, 'waitForMail' | 'waitForCallback'> {
  const { changes } = parts
  return {
    async waitForMail({ signal, ...query } = {}) {
      const { timeoutMs } = parseWith(mailWait, query, WRONG)
      const newest = newestMail(parts, query)
      return firstRow(newest, { what: 'e-mail was sent', part: 'world', changes, timeoutMs, signal, closed: closed() })
    },
    async waitForCallback({ signal, ...query } = {}) {
      const { timeoutMs } = parseWith(callbackWait, query, WRONG)
      const newest = newestCallback(parts, query)
      return firstRow(newest, { what: 'callback', part: 'callbacks', changes, timeoutMs, signal, closed: closed() })
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
  const indexOf = (id: string): number => callbacks.kept().findIndex((event) => event.id === id)
  if (after !== undefined && indexOf(after) === -1) {
    throw new UnknownAfter(`There is no callback ${JSON.stringify(after)}.`)
  }
  return () => {
    const known = after === undefined ? -1 : indexOf(after)
    const key = email === undefined ? null : world.keyOf(email)
    const found = callbacks
      .kept()
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
  readonly closed: AbortSignalLike
}

/** Resolves with the newest row that fits, or with the first one to come. */
async function firstRow<Row>(newest: () => Row | undefined, waiting: Waiting): Promise<Row> {
  const { what, part, changes, timeoutMs = DEFAULT_WAIT_MS, signal, closed } = waiting
  const present = newest()
  if (present) return present
  const cleanUps: (() => void)[] = []
  const coming = new Promise<Row>((resolve, reject) => {
    const fail = (why: string) => (): void => reject(new NoneCame(`No such ${what}: ${why}.`))
    const failOn = (ending: AbortSignalLike | undefined, why: string): void => {
      const onAbort = fail(why)
      if (ending?.aborted) onAbort()
      ending?.addEventListener('abort', onAbort, { once: true })
      cleanUps.push(() => ending?.removeEventListener('abort', onAbort))
    }
    failOn(signal, 'the wait was aborted')
    failOn(closed, 'the mock was closed')
    const timer = realSetTimeout(fail(`none came within ${timeoutMs} ms`), timeoutMs)
    const unsubscribe = changes.subscribe((parts) => {
      const row = parts.includes(part) ? newest() : undefined
      if (row) resolve(row)
    })
    cleanUps.push(() => realClearTimeout(timer), unsubscribe)
  })
  return coming.finally(() => {
    for (const cleanUp of cleanUps) cleanUp()
  })
}
