import type { AdminSessionClient } from '../index.ts'
import { Sender } from '../campaign/sender.ts'
import type { PostgresLedger } from '../ledger/postgres/postgres-ledger.ts'
import { type WishQueue, wishQueueOf } from '../ledger/postgres/wish-queue.ts'
import { scopeKey } from '../ledger/rules/key.ts'
import { PackageSkills } from '../ledger/rules/package-skills.ts'
import { leaseOf } from '../ledger/send-recorder.ts'
import { refuseGuarded, scopeOf } from '../ledger/with-ledger.ts'
import { WakeUp } from './wake-up.ts'
import { WishSender } from './wish-sender.ts'
import type { WorkerOptions, WorkerSummary } from './worker-options.ts'
import { WorkerRun } from './worker-run.ts'

/**
 * Sends what is enqueued, until its signal is aborted: then it takes no further wish, ends and records those on their way,
 * and resolves. Several workers may run at the same time, on several machines. Rate, pauses and outages are as in a campaign.
 *
 * @param client the client itself, of either kind, without a ledger
 * @throws CertifyError a failure that every wish would share: the key or the URL is wrong, the outage takes too long, or the
 *   ledger cannot be used. What was not sent is still waiting
 * @example
 * ```ts
 * await runWorker(ledger, client, { account: 'acme-production', concurrency: 8, signal, onEvent: console.log })
 * ```
 */
export async function runWorker(
  ledger: PostgresLedger,
  client: AdminSessionClient,
  options: WorkerOptions,
): Promise<WorkerSummary> {
  refuseGuarded(client, 'runWorker')
  const { account, signal, ratePerSecond, concurrency = 8, timeoutMs = client.limits.timeoutMs } = options
  const { clock } = ledger
  const scope = scopeOf(client.endpoint, options)
  const queue = wishQueueOf(ledger, account, leaseOf(timeoutMs))
  const run = new WorkerRun(options)
  const width = widthOf(concurrency, ratePerSecond, timeoutMs)
  const skills = new PackageSkills(client.tracks, clock)
  const sender = new Sender({ options: { ...options, client, ledger }, scope, skills }, options, run, width)
  const wishes = new WishSender({ ledger, scope: scopeKey(scope), queue, sender, run })
  const began = clock.now()
  signal?.addEventListener('abort', run.stop)
  if (signal?.aborted === true) run.stop()
  try {
    await takeAndSend(queue, wishes, { run, width, wakeUp: new WakeUp(clock, run.stopping), drain: options.drain })
  } finally {
    signal?.removeEventListener('abort', run.stop)
    await sender.close()
  }
  const isDrained = !run.stopping.aborted
  return { counts: run.counts(), stopped: isDrained ? 'drained' : 'aborted', durationMs: clock.now() - began }
}

/* More than these cannot be on their way. Whoever takes more keeps them from other workers. */
function widthOf(concurrency: number, ratePerSecond: number | undefined, timeoutMs: number): number {
  const most = ratePerSecond === undefined ? concurrency : Math.ceil((ratePerSecond * timeoutMs) / 1000)
  return Math.max(1, Math.min(Math.floor(concurrency), most))
}

interface Loop {
  readonly run: WorkerRun
  /** The most wishes at the same time. */
  readonly width: number
  readonly wakeUp: WakeUp
  readonly drain: boolean | undefined
}

async function takeAndSend(queue: WishQueue, wishes: WishSender, { run, width, wakeUp, drain }: Loop): Promise<void> {
  const listener = queue.listen(wakeUp.now)
  const sending = new Set<Promise<void>>()
  try {
    while (!run.stopping.aborted) {
      /* Not awaited: without it, wishes are found from time to time. */
      void listener?.connect().then((isNew) => isNew && wakeUp.now())
      const taken = await queue.take(width - sending.size)
      for (const each of taken) {
        const sent = wishes.send(each).finally(() => {
          sending.delete(sent)
          if (sending.size === 0) wakeUp.now()
        })
        sending.add(sent)
      }
      if (sending.size === width) await Promise.race(sending)
      else if (drain === true && sending.size === 0 && !(await queue.isWaiting())) return
      else await wakeUp.wait(taken.length === 0)
    }
  } catch (error) {
    run.end(error)
  } finally {
    await Promise.all(sending)
    await listener?.close()
  }
}
