import type { AbortSignalLike, MailQuery, MailWait } from '../contract/mail-wait.ts'
import type { Mail } from '../world/model.ts'
import type { World } from '../world/world.ts'
import type { Changes } from './changes.ts'
import { realClearTimeout, realSetTimeout } from './unpatched-globals.ts'

/** Resolves with the newest e-mail that fits, or with the first one to come. */
export async function awaitMail(
  world: World,
  changes: Changes,
  wait: MailWait,
  closed: AbortSignalLike,
): Promise<Mail> {
  const { timeoutMs = 5000, signal, after } = wait
  if (!(timeoutMs >= 0 && timeoutMs <= LONGEST_WAIT_MS)) {
    throw new Error(`timeoutMs is a number from 0 to ${LONGEST_WAIT_MS}, not ${String(timeoutMs)}.`)
  }
  if (after !== undefined && world.state.mails.every(({ inviteId }) => inviteId !== after)) {
    throw new Error(`No e-mail of the invite ${JSON.stringify(after)} was sent.`)
  }
  const sent = newest(world, wait)
  if (sent) return sent
  const cleanUps: (() => void)[] = []
  const coming = new Promise<Mail>((resolve, reject) => {
    const fail = (why: string) => (): void => reject(new Error(`No such e-mail was sent: ${why}.`))
    const failOn = (ending: AbortSignalLike | undefined, why: string): void => {
      const onAbort = fail(why)
      if (ending?.aborted) onAbort()
      ending?.addEventListener('abort', onAbort, { once: true })
      cleanUps.push(() => ending?.removeEventListener('abort', onAbort))
    }
    failOn(signal, 'the wait was aborted')
    failOn(closed, 'the mock was closed')
    const timer = realSetTimeout(fail(`none came within ${timeoutMs} ms`), timeoutMs)
    const unsubscribe = changes.subscribe(() => {
      const mail = newest(world, wait)
      if (mail) resolve(mail)
    })
    cleanUps.push(() => realClearTimeout(timer), unsubscribe)
  })
  return coming.finally(() => {
    for (const cleanUp of cleanUps) cleanUp()
  })
}

/** The newest e-mail that fits. Where a reset has removed the known one, all others came after it. */
function newest(world: World, { to, after }: MailQuery): Mail | undefined {
  const { mails } = world.state
  const known = after === undefined ? -1 : mails.findIndex(({ inviteId }) => inviteId === after)
  const key = to === undefined ? null : world.keyOf(to)
  return mails.findLast((mail, index) => index > known && (key === null || world.keyOf(mail.to) === key))
}

const LONGEST_WAIT_MS = 10 * 60 * 1000
