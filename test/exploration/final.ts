import { createLedger } from '../../src/ledger/ledger.ts'
import type { ClaimRequest, LedgerRecord } from '../../src/ledger/rules/model.ts'
import { targetOf } from '../../src/ledger/rules/key.ts'
import { type Ledger, internalsOfLedger } from '../../src/ledger/rules/ledger-types.ts'
import type { StoredRecord } from '../../src/ledger/rules/record.ts'
import { Actor } from './actor.ts'
import { databaseOf } from './database.ts'
import { type Job, PACKAGES } from './scenario.ts'
import { DAY_MS, subjectsOfJob } from './service.ts'
import { Store } from './store.ts'
import { inputOf, SCOPE } from './worker.ts'
import type { World } from './world.ts'

/**
 * Checks a world in which nothing happens any more: every process that is not done has crashed. All leases expire, and
 * everything that was executed must block. Then all links expire, and whatever still blocks must be listed.
 */
export function checkEnd(world: World): Promise<void> {
  /* A copy: the schedule may continue. */
  const end = new Store()
  end.tables = world.store.tables
  const times = world.store.sends.flatMap(({ leaseUntil, sentAt }) => [leaseUntil, sentAt])
  end.now = Math.max(world.store.now, ...times) + 1
  const checker = new Actor('checker')
  const clock = { now: () => end.now, startTimer: () => () => {} }
  return checker.run(() => check(createLedger(databaseOf(end, checker, clock, 'at once')), end, world))
}

async function check(ledger: Ledger, end: Store, { books, scenario, service }: World): Promise<void> {
  const unknown = new Set<string>()
  for await (const { reference } of ledger.list({ state: 'unknown' })) unknown.add(reference)
  const sends: StoredRecord[] = []
  const { claim: claimFor, records, settle } = internalsOfLedger(ledger)
  for await (const page of records()) sends.push(...page)
  books.compareAll(sends, end.now)
  const jobs = new Map(scenario.jobs.map((job) => [JSON.stringify(inputOf(job)), job]))
  for (const days of [0, 15]) {
    end.now += days * DAY_MS
    for (const [name, job] of jobs) {
      const reference = `check-${days}-${name}`
      const claim = await claimFor(requestOf(job, reference))
      if (claim.kind === 'claimed') {
        const open = service.executed.find(
          (made) =>
            made.job.email === job.email &&
            subjectsOfJob(made.job).some((subject) => subjectsOfJob(job).includes(subject)) &&
            books.mustBlock(made, end.now),
        )
        if (open !== undefined) books.report('once', `${open.reference} does not block another create`)
        /* So that it blocks nothing in the next round. */
        await settle(claim, { state: 'not-executed' })
      } else if (claim.kind === 'taken' || !isListed(claim.kind, claim.records, days))
        books.report('listed', `${claim.kind} after ${days} days`)
    }
  }

  function isListed(kind: string, kept: readonly LedgerRecord[], days: number): boolean {
    if (kind === 'unknown') return kept.every(({ reference }) => unknown.has(reference))
    return kind === 'invited' && days === 0
  }
}

function requestOf(job: Job, reference: string): ClaimRequest {
  const input = inputOf(job)
  const target = targetOf(input, PACKAGES[job.packageId ?? ''])
  return { scope: SCOPE, target, reference, input, leaseMs: 60_000 }
}
