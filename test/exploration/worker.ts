import { CertifyError, type CertifyClient, isCertifyError } from '../../src/index.ts'
import type { LedgerScope, SendInput, Settlement } from '../../src/ledger/rules/entry.ts'
import type { Ledger, Recorded } from '../../src/ledger/rules/ledger.ts'
import { scopeOf, withLedger } from '../../src/ledger/with-ledger.ts'
import { FAILURES, outcomeOf } from '../../src/transport/failures.ts'
import { waitBeforeRetry } from '../../src/transport/retry.ts'
import type { Actor } from './actor.ts'
import type { Delivered } from './books.ts'
import { type Job, PACKAGES } from './scenario.ts'
import type { Answer } from './service.ts'
import type { World } from './world.ts'

const ENDPOINT = 'https://certify.test/api/developer/graphql'
const ACCOUNT = 'acme'
export const SCOPE: LedgerScope = scopeOf(ENDPOINT, { account: ACCOUNT })
/** A lease is 30 seconds longer. */
const DEADLINE_MS = 30_000

/** A process with the real `withLedger`, the real retry rules, and a job that is delivered to it at least once. */
export async function startWorker(world: World, actor: Actor, job: Job): Promise<void> {
  const ledger = observed(world, actor, world.ledgerOf(actor, job.clockAheadMs))
  /* What it knows of the answer to the create that is running. */
  const delivered: Delivered = { actor, answer: undefined, wasTold: false }
  const guarded = withLedger(clientOf(world, actor, job, delivered), ledger, {
    account: ACCOUNT,
    onUnsettled: () => {
      delivered.wasTold = true
    },
    onLate: () => {},
  })
  const { ifUnknown = 'refuse', ifInvited = 'refuse', reference, deliveries = 1 } = job
  for (let delivery = 1; delivery <= deliveries; delivery += 1) {
    Object.assign(delivered, { answer: undefined, wasTold: false })
    actor.claimMark = undefined
    const options = { ifUnknown, ifInvited, ...(reference !== undefined && { reference }) }
    try {
      const input = inputOf(job)
      await ('packageId' in input
        ? guarded.packageInvites.create(input, options)
        : guarded.invites.create(input, options))
      world.books.ended(delivered, undefined)
      return
    } catch (error) {
      if (!isCertifyError(error)) throw error
      world.books.ended(delivered, error)
    }
  }
}

export function inputOf({ email, quizId = '', packageId }: Job): SendInput {
  const candidate = { name: 'Ada', email }
  return packageId === undefined ? { quizId, candidate } : { packageId, candidate }
}

/* A client whose requests go to the scheduler. Each attempt is judged by the real table of failures and rules of retries. */
function clientOf(world: World, actor: Actor, job: Job, delivered: Delivered): CertifyClient {
  const create = async (_input: SendInput, { reference = '' }: { reference?: string } = {}) => {
    for (let attempt = 1; ; attempt += 1) {
      world.service.requests.push({ reference, job, caller: actor, phase: 'sent' })
      const answer = await actor.ask<Answer>({ what: 'creates', kind: 'create', run: () => undefined })
      if ('result' in answer) {
        delivered.answer = { reference, answer }
        return answer.result
      }
      const { failure, partial } = answer
      const facts = { kind: 'mutation', failure, attempt, maxAttempts: 2, retryAfterMs: undefined } as const
      if (waitBeforeRetry({ ...facts, remainingMs: DEADLINE_MS, random: 0 }) !== undefined) continue
      delivered.answer = { reference, answer }
      const { code, what } = FAILURES[failure]
      const outcome = outcomeOf('mutation', failure)
      throw new CertifyError({ code, outcome, operation: 'create', reference, message: what, partial })
    }
  }
  const packages = Object.entries(PACKAGES).map(([id, quizIds]) => ({
    id,
    skills: quizIds.map((quizId) => ({ quizId })),
  }))
  return {
    endpoint: ENDPOINT,
    limits: { timeoutMs: DEADLINE_MS, deadlineMs: DEADLINE_MS, maxAttempts: 2 },
    tracks: { list: () => Promise.resolve([{ packages }]) },
    invites: { create },
    packageInvites: { create },
  } as unknown as CertifyClient
}

/* The same ledger. What its calls resolve with is compared with what happened, and is all that the caller remembers of them. */
function observed(world: World, actor: Actor, ledger: Ledger): Ledger {
  return {
    ...ledger,
    path: ledger.path,
    clock: ledger.clock,
    find: ledger.find,
    claim: async (request) => {
      actor.beginClaim()
      actor.mark = actor.history
      const claim = await ledger.claim(request)
      actor.endCall(claim)
      if (claim.kind === 'claimed') world.books.claimed(request.reference)
      return claim
    },
    settle: async (reference: string, settlement: Settlement): Promise<Recorded> => {
      actor.mark = actor.history
      const recorded = await ledger.settle(reference, settlement)
      actor.endCall(recorded)
      world.books.settled(reference, recorded)
      return recorded
    },
  }
}
