import type { AbortSignalLike, MailQuery, MailWait } from '../contract/mail-wait.ts'
import type { Mail } from '../world/model.ts'
import type { World } from '../world/world.ts'
import type { Changes } from './changes.ts'
import { realClearTimeout, realSetTimeout } from './unpatched-globals.ts'

/** The newest e-mail that is asked for, or the first one to come. */
export async function mailToCome(
  world: World,
  changes: Changes,
  wait: MailWait,
  closed: AbortSignalLike,
): Promise<Mail> {
  const { timeoutMs = 5000, signal } = wait
  if (!(timeoutMs >= 0 && timeoutMs <= LONGEST_WAIT_MS)) {
    throw new Error(`timeoutMs is a number from 0 to ${LONGEST_WAIT_MS}, not ${String(timeoutMs)}.`)
  }
  const { after } = wait
  if (after !== undefined && world.state.mails.every(({ inviteId }) => inviteId !== after)) {
    throw new Error(`No e-mail of the invite ${JSON.stringify(after)} was sent.`)
  }
  const there = newest(world, wait)
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
      const unsubscribe = changes.subscribe(() => {
        const mail = newest(world, wait)
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
function newest(world: World, { to, after }: MailQuery): Mail | undefined {
  const { mails } = world.state
  const known = after === undefined ? -1 : mails.findIndex(({ inviteId }) => inviteId === after)
  const key = to === undefined ? null : world.keyOf(to)
  return mails.findLast((mail, index) => index > known && (key === null || world.keyOf(mail.to) === key))
}

const LONGEST_WAIT_MS = 10 * 60 * 1000
