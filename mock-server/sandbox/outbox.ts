import { realClearTimeout, realSetTimeout } from '../platform.ts'
import type { Mail } from '../world/model.ts'
import type { Changes } from './changes.ts'

/** Which e-mail is waited for. */
export interface MailQuery {
  /** The address that it is sent to, compared as the dialect's `candidateIdentity` says; any where left out. */
  readonly to?: string | undefined
  /** The `inviteId` of an e-mail that is known already: only those sent after it count. */
  readonly after?: string | undefined
}

/** How an e-mail is waited for. */
export interface MailWait extends MailQuery {
  /** How long it is waited for, in milliseconds of real time. Default 5,000. */
  readonly timeoutMs?: number | undefined
  /** Ends the waiting. */
  readonly signal?: AbortSignalLike | undefined
}

/** As much of an `AbortSignal` as is needed here: assignable from the platform's own. */
export interface AbortSignalLike {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** Where e-mails are found. */
export interface MailSource {
  readonly mails: () => readonly Mail[]
  readonly keyOf: (email: string) => string
  readonly changes: Changes
}

/** The newest e-mail that is asked for, or the first one to come. */
export async function mailToCome(source: MailSource, wait: MailWait, closed: AbortSignalLike): Promise<Mail> {
  const { timeoutMs = 5000, signal } = wait
  if (!(timeoutMs >= 0 && timeoutMs <= LONGEST_WAIT_MS)) {
    throw new Error(`timeoutMs is a number from 0 to ${LONGEST_WAIT_MS}, not ${String(timeoutMs)}.`)
  }
  const { after } = wait
  if (after !== undefined && source.mails().every(({ inviteId }) => inviteId !== after)) {
    throw new Error(`No e-mail of the invite ${JSON.stringify(after)} was sent.`)
  }
  const there = newest(source, wait)
  if (there) return there
  const afterwards: (() => void)[] = []
  try {
    return await new Promise<Mail>((resolve, reject) => {
      const fail = (why: string) => (): void => reject(new Error(`No such e-mail was sent: ${why}.`))
      const [late, aborted, gone] = [
        fail(`it was waited for ${timeoutMs} ms`),
        fail('the waiting was ended'),
        fail('the mock was closed'),
      ]
      if (signal?.aborted || closed.aborted) return aborted()
      const timer = realSetTimeout(late, timeoutMs)
      const unsubscribe = source.changes.subscribe(() => {
        const mail = newest(source, wait)
        if (mail) resolve(mail)
      })
      signal?.addEventListener('abort', aborted, { once: true })
      closed.addEventListener('abort', gone, { once: true })
      afterwards.push(
        () => realClearTimeout(timer),
        unsubscribe,
        () => signal?.removeEventListener('abort', aborted),
        () => closed.removeEventListener('abort', gone),
      )
    })
  } finally {
    for (const step of afterwards) step()
  }
}

/** The newest e-mail that is asked for. Where the known one is gone with a reset, all others came after it. */
function newest({ mails, keyOf }: MailSource, { to, after }: MailQuery): Mail | undefined {
  const all = mails()
  const known = after === undefined ? -1 : all.findIndex(({ inviteId }) => inviteId === after)
  const key = to === undefined ? null : keyOf(to)
  return all.findLast((mail, index) => index > known && (key === null || keyOf(mail.to) === key))
}

const LONGEST_WAIT_MS = 10 * 60 * 1000
