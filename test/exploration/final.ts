import { emailKey } from '../../src/ledger/rules/key.ts'
import type { ClaimRequest, LedgerEntry } from '../../src/ledger/rules/entry.ts'
import type { LedgerStore } from '../../src/ledger/store/store.ts'
import { createLedger } from '../../src/ledger/store/create-ledger.ts'
import { Actor } from './actor.ts'
import { type Job, PACKAGES } from './scenario.ts'
import { DAY_MS, subjectsOfJob } from './service.ts'
import { inputOf, SCOPE } from './worker.ts'
import type { World } from './world.ts'

/**
 * Checks a world in which nobody does anything any more: whoever is not done has crashed. Every lease passes, and everything
 * that was executed blocks. Then every link expires, and what still blocks is listed.
 */
export async function checkEnd(world: World): Promise<void> {
  const { books, service, store } = world
  const sends = store.sends
  world.behindMs = 0
  world.now =
    Math.max(world.now, ...sends.map(({ leaseUntil }) => leaseUntil), ...sends.map(({ sentAt }) => sentAt)) + 1
  const checker = new Actor('checker')
  await checker.run(() => {
    void check().finally(() => checker.end())
  })

  async function check(): Promise<void> {
    const ledger = createLedger(directly(world))
    const unknown = new Set<string>()
    for await (const { reference } of ledger.list({ state: 'unknown' })) unknown.add(reference)
    books.compareAll()
    const jobs = new Map(
      world.scenario.jobs.map((job) => [JSON.stringify([job.email, job.quizId, job.packageId]), job]),
    )
    for (const days of [0, 15]) {
      world.now += days * DAY_MS
      for (const job of jobs.values()) {
        const claim = await ledger.claim(requestOf(job, `check-${days}-${JSON.stringify(job)}`))
        if (claim.kind === 'claimed') {
          const subjects = subjectsOfJob(job)
          const open = service.executed.find(
            (made) =>
              made.job.email === job.email &&
              subjectsOfJob(made.job).some((subject) => subjects.includes(subject)) &&
              books.mustBlock(made),
          )
          if (open !== undefined) books.report('once', `${open.reference} does not block another create`)
          /* It blocks nothing in the next round. */
          await ledger.settle(`check-${days}-${JSON.stringify(job)}`, { state: 'not-executed' })
        } else if (!isListed(claim.kind, claim.entries, days))
          books.report('listed', `${claim.kind} after ${days} days`)
      }
    }

    function isListed(kind: string, entries: readonly LedgerEntry[], days: number): boolean {
      if (kind === 'unknown') return entries.every(({ reference }) => unknown.has(reference))
      return kind === 'invited' && days === 0
    }
  }
}

function requestOf({ email, quizId = '', packageId }: Job, reference: string): ClaimRequest {
  const target =
    packageId === undefined ? { email, quizIds: [quizId] } : { email, packageId, quizIds: PACKAGES[packageId] ?? [] }
  return {
    scope: SCOPE,
    target: { ...target, email: emailKey(email) },
    reference,
    input: inputOf({ email, quizId, ...(packageId !== undefined && { packageId }) }),
    leaseMs: 60_000,
  }
}

/* Without a scheduler. */
function directly({ store, storeTime }: World): LedgerStore {
  const soon =
    <Arguments extends unknown[], Value>(call: (...given: Arguments) => Value) =>
    async (...given: Arguments) =>
      call(...given)
  return {
    path: 'memory',
    readCandidates: soon((scope, questions) => store.readCandidates(scope, questions)),
    readSend: soon((reference, inviteIds) => store.readSend(reference, inviteIds)),
    add: soon((send, last) => store.add(send, last)),
    replace: soon((send, facts) => store.replace(send, facts)),
    readOverdue: soon(() => store.readOverdue()),
    readPage: soon((query, last) => store.readPage(query, last)),
    now: soon(() => storeTime),
    remove: () => Promise.reject(new Error('not explored')),
    check: () => Promise.reject(new Error('not explored')),
    acceptTime: () => Promise.reject(new Error('not explored')),
    close: () => Promise.resolve(),
  }
}
