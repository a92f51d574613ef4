import { CertifyError, isCertifyError, type PackageTrack } from '../../src/index.ts'
import type { CreateInput } from '../../src/operations.ts'
import type { LedgerScope } from '../../src/ledger/rules/model.ts'
import { type LedgerInternals, internalsOfLedger } from '../../src/ledger/rules/ledger-types.ts'
import { recordedCreate } from '../../src/ledger/create.ts'
import { ServiceClock } from '../../src/clock.ts'
import { scopeKey } from '../../src/ledger/rules/key.ts'
import { FAILURES, type FailureKind, outcomeOf } from '../../src/transport/failures.ts'
import { waitBeforeRetry } from '../../src/transport/call.ts'
import type { Actor, Choice } from './actor.ts'
import type { Delivered } from './books.ts'
import { type Job, PACKAGES } from './scenario.ts'
import type { Answer, CreateRequest } from './service.ts'
import { keyOf } from './store.ts'
import type { World } from './world.ts'

const ENDPOINT = 'https://certify.test/api/developer/graphql'
const ACCOUNT = 'acme'
export const SCOPE: LedgerScope = scopeKey({ baseUrl: ENDPOINT, account: ACCOUNT, world: '' })
/** A lease is 30 seconds longer. */
const DEADLINE_MS = 30_000

const packages = Object.entries(PACKAGES).map(([id, quizIds]) => ({
  id,
  skills: quizIds.map((quizId) => ({ quizId })),
}))

/** Starts a process that creates by the real code and retry rules, and a job that is delivered to it at least once. */
export function startWorker(world: World, name: string, job: Job): void {
  world.jobs.set(name, job)
  world.addActor(name, (actor) => work(world, actor, job))
}

async function work(world: World, actor: Actor, job: Job): Promise<void> {
  const { ifUnknown = 'refuse', ifInvited = 'refuse', reference, deliveries = 1 } = job
  const input = inputOf(job)
  const options = { ifUnknown, ifInvited, ...(reference !== undefined && { reference }) }
  /* What it knows of the response to its current create. */
  const delivered: Delivered = { answer: undefined, wasTold: false, key: '' }
  const ledger = observed(world, actor, internalsOfLedger(world.ledgerOf(actor, job.clockAheadMs)), delivered)
  const service = new ServiceClock(ledger.clock, () => world.store.now)
  const recorded = recordedCreate(ledger, {
    endpoint: ENDPOINT,
    account: ACCOUNT,
    allowClockSkew: false,
    limits: { timeoutMs: DEADLINE_MS, deadlineMs: DEADLINE_MS, maxAttempts: 2 },
    hooks: {
      onUnrecorded: () => {
        delivered.wasTold = true
      },
      onRecordedLate: () => {},
    },
    /* No deadline ends a call, or keeps it from being sent. */
    runtime: {
      now: () => world.store.now,
      elapsed: () => 0,
      random: () => 0,
      startTimer: () => () => {},
    },
    service,
    query: () => {
      service.saw(new Date(world.store.now).toUTCString())
      return Promise.resolve([{ packages }] as unknown as PackageTrack[])
    },
  })
  for (let delivery = 1; delivery <= deliveries; delivery += 1) {
    Object.assign(delivered, { answer: undefined, wasTold: false })
    try {
      await recorded('create', input, options, () => create(world, actor, job, delivered))
      world.books.ended(delivered, undefined)
      return
    } catch (error) {
      if (!isCertifyError(error)) throw error
      world.books.ended(delivered, error)
    }
  }
}

export function inputOf({ email, quizId = '', packageId }: Job): CreateInput {
  const candidate = { name: 'Ada', email }
  return packageId === undefined ? { quizId, candidate } : { packageId, candidate }
}

/* The same ledger, but what its calls resolve with is compared with what happened. */
function observed(world: World, actor: Actor, ledger: LedgerInternals, delivered: Delivered): LedgerInternals {
  return {
    ...ledger,
    claim: async (request) => {
      actor.isIdle = true
      /* A settlement that failed for good was the last of its delivery. */
      actor.isSettling = false
      const claim = await ledger.claim(request)
      world.books.claimed(actor, claim)
      if (claim.kind === 'claimed') delivered.key = keyOf(claim)
      return claim
    },
    settle: async (claim, settlement) => {
      actor.isSettling = true
      const recorded = await ledger.settle(claim, settlement)
      actor.isSettling = false
      world.books.settled(keyOf(claim), recorded)
      return recorded
    },
  }
}

/* Requests go to the scheduler. Each attempt is judged by the real failure table and retry rules. */
async function create(world: World, actor: Actor, job: Job, delivered: Delivered) {
  const { key: reference } = delivered
  for (let attempt = 1; ; attempt += 1) {
    const request: CreateRequest = { reference, job, caller: actor, phase: 'sent' }
    world.service.requests.push(request)
    const answer = await actor.ask<Answer>(() => answersTo(world, request))
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

function answersTo(world: World, request: CreateRequest): readonly Choice[] {
  const { service } = world
  const { caller, job, reference } = request
  const { name } = caller
  const receives = (what: string, cost: 0 | 1, answer: Answer, phase: CreateRequest['phase'] = 'ended'): Choice => ({
    label: `${name} ${what}`,
    cost,
    take: () => {
      request.phase = phase
      caller.resolve(answer, JSON.stringify(answer))
    },
  })
  const fails = (what: string, failure: FailureKind, phase?: CreateRequest['phase']) =>
    receives(what, 1, { failure }, phase)
  if (request.phase === 'sent') {
    const take = () => world.execute(request, 'executed')
    return [
      { label: `the service executes the create of ${name}`, cost: 0, take },
      fails('is refused', 'badUserInput'),
      fails('is limited', 'rateLimited'),
      fails('cannot reach the service', 'unreachable'),
      fails('loses its connection, and the request is lost', 'connectionLost'),
      fails('times out, and its request is still on its way', 'timedOut', 'away'),
    ]
  }
  const own = service.executed.findLast((made) => made.reference === reference)
  if (own === undefined) return []
  const ids = 'invites' in own.result ? own.result.invites : own.result
  const others = service.executed.filter(
    (made) => made.reference !== reference && made.job.packageId === job.packageId && made.openUntil > world.store.now,
  )
  return [
    receives('receives its answer', 0, { result: own.result }),
    fails('loses its answer', 'connectionLost'),
    receives('receives only a part of its answer', 1, { failure: 'unexpected', partial: { ids } }),
    ...others.map((made) => receives(`receives the answer to ${made.reference}`, 1, { result: made.result })),
  ]
}
