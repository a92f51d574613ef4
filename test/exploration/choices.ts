import { ledgerUnusable } from '../../src/ledger/rules/errors.ts'
import type { FailureKind } from '../../src/transport/failures.ts'
import type { Actor, Pending } from './actor.ts'
import { seenIn } from './connection.ts'
import { type Answer, type CreateRequest, DAY_MS } from './service.ts'
import { addWorker } from './start.ts'
import { findsOut, hears } from './visitors.ts'
import type { World } from './world.ts'

/** Something that can happen next. */
export interface Choice {
  readonly label: string
  /** 1 for what goes wrong, or comes in between. */
  readonly cost: 0 | 1
  readonly take: () => Promise<void> | void
}

/** Everything that can happen next, with at most so many faults. Always in the same order. */
export function choicesOf(world: World, faults: number): readonly Choice[] {
  const choices = [...world.actors.flatMap((actor) => ofActor(world, actor)), ...ofService(world)]
  return faults === 0
    ? choices.filter(({ cost }) => cost === 0)
    : [...choices, ...ofTime(world), ...ofVisitors(world), ...ofCrashes(world)]
}

function ofActor(world: World, actor: Actor): readonly Choice[] {
  const { pending, name } = actor
  if (pending === undefined || isTwinOfWaiting(world, actor)) return []
  if (pending.kind === 'create') return ofCreate(world, actor)
  if (pending.kind === 'pause')
    return actor.seen === world.seen
      ? []
      : [{ label: `${name} ${pending.what}`, cost: 0, take: () => actor.run(() => wake(actor)) }]
  const rejects = () => actor.reject(ledgerUnusable('the connection was lost', ''), 'lost')
  const on = (label: string, cost: 0 | 1, take: () => void): Choice => ({
    label: `${name} ${pending.what}${label}`,
    cost,
    take: () => actor.run(take),
  })
  const choices = [on('', 0, () => call(actor, pending)), on(': connection lost before', 1, rejects)]
  if (pending.kind === 'read' || pending.wouldWrite?.() !== true) return choices
  return [
    ...choices,
    on(': not recorded, and nobody knows', 1, () => actor.resolve(false, 'false')),
    on(': recorded, and nobody knows', 1, () => {
      pending.run()
      actor.resolve(false, 'false')
    }),
    on(': recorded, and the connection is lost after it', 1, () => {
      pending.run()
      rejects()
    }),
  ]
}

/* Workers with the same job are alike until they begin: one order of their beginnings is enough. */
function isTwinOfWaiting({ actors, jobs }: World, actor: Actor): boolean {
  const before = actors[actors.indexOf(actor) - 1]
  if (actor.hasStarted || before === undefined || before.hasStarted || before.hasEnded) return false
  return jobs.get(actor.name) === jobs.get(before.name)
}

function call(actor: Actor, pending: Pending): void {
  try {
    const value = pending.run()
    actor.resolve(value, seenIn(value))
  } catch (error) {
    actor.reject(error, 'refused')
  }
}

function wake(actor: Actor): void {
  actor.resolve(undefined, '')
  actor.wake()
}

function ofCreate(world: World, actor: Actor): readonly Choice[] {
  const { service } = world
  const { name } = actor
  const request = service.requestOf(actor)
  if (request === undefined) return []
  const answers =
    (answer: Answer, phase: CreateRequest['phase'] = 'ended') =>
    () =>
      actor.run(() => {
        request.phase = phase
        actor.resolve(answer, JSON.stringify(answer))
      })
  const fails = (failure: FailureKind, how: string, phase?: CreateRequest['phase']): Choice => ({
    label: `${name}${how}`,
    cost: 1,
    take: answers({ failure }, phase),
  })
  if (request.phase === 'sent') {
    return [
      { label: `the service executes the create of ${name}`, cost: 0, take: () => execute(world, request, 'executed') },
      fails('badUserInput', ' is refused'),
      fails('rateLimited', ' is limited'),
      fails('unreachable', ' cannot reach the service'),
      fails('connectionLost', ' loses its connection, and the request is lost'),
      fails('timedOut', ' times out, and its request is still on its way', 'away'),
    ]
  }
  const own = service.executed.findLast(({ reference }) => reference === request.reference)
  if (own === undefined) return []
  const ids = 'invites' in own.result ? own.result.invites : own.result
  const others = service.executed.filter(
    ({ reference, job, openUntil }) =>
      reference !== request.reference && job.packageId === request.job.packageId && openUntil > world.now,
  )
  return [
    { label: `${name} receives its answer`, cost: 0, take: answers({ result: own.result }) },
    fails('connectionLost', ' loses its answer'),
    {
      label: `${name} receives only a part of its answer`,
      cost: 1,
      take: answers({ failure: 'unexpected', partial: { ids } }),
    },
    ...others.map(({ reference, result }) => ({
      label: `${name} receives the answer to ${reference}`,
      cost: 1 as const,
      take: answers({ result }),
    })),
  ]
}

/* Also what nobody waits for any more. */
function ofService(world: World): readonly Choice[] {
  return world.service.requests
    .filter(({ phase }) => phase === 'away')
    .map((request) => ({
      label: `the service executes the late request ${request.reference}`,
      cost: 0,
      take: () => execute(world, request, 'ended'),
    }))
}

function execute(world: World, request: CreateRequest, phase: CreateRequest['phase']): void {
  request.phase = phase
  world.books.executed(world.service.execute(request, world.now))
}

function ofTime(world: World): readonly Choice[] {
  const step = (label: string, take: () => void): Choice => ({ label, cost: 1, take })
  const pass = (ms: number) => () => {
    world.now += ms
  }
  if (world.behindMs > 0) {
    const right = () => {
      world.behindMs = 0
    }
    return [step('every lease passes', pass(61_000)), { ...step("the ledger's clock is set right", right), cost: 0 }]
  }
  return [
    step('every lease passes', pass(61_000)),
    step('15 days pass', () => {
      world.now += 15 * DAY_MS
      endAllCalls(world)
    }),
    /* The ledger can notice only a time before its last send. */
    step("the ledger's clock goes back by 20 days", () => {
      world.visited.add('clock')
      const latest = Math.max(...world.store.sends.map(({ sentAt }) => sentAt))
      world.behindMs = world.now - latest + 20 * DAY_MS
    }),
  ]
}

/* No process sleeps for so long in the middle of a call, and no request is on its way for so long. */
function endAllCalls({ actors, service }: World): void {
  for (const request of service.requests) request.phase = 'ended'
  for (const actor of actors) {
    if (actor.pending?.kind === 'pause' || actor.pending?.what === 'reads the candidate') continue
    actor.hasEnded = true
    actor.pending = undefined
  }
}

/* A person who looked at the service, and an event from it. */
function ofVisitors(world: World): readonly Choice[] {
  const visit = (label: string, name: string, start: (actor: Actor) => Promise<void>): Choice => ({
    label,
    cost: 1,
    take: () => {
      world.visited.add(name)
      return world.addActor(name, start)
    },
  })
  const persons = world.store.sends
    .filter(
      ({ state, reference }) =>
        (state === 'sending' || state === 'unknown') && !world.visited.has(`person-${reference}`),
    )
    .map(({ reference }) => {
      const made = world.service.executionOf(reference)
      const what = made === undefined ? 'not created' : 'created'
      return visit(`a person finds ${reference} ${what}`, `person-${reference}`, (actor) =>
        findsOut(world, actor, reference, made),
      )
    })
  const events = world.service.executed
    .filter(({ reference }) => !world.visited.has(`event-${reference}`))
    .map((made) =>
      visit(`an event about ${made.reference} comes`, `event-${made.reference}`, (actor) => hears(world, actor, made)),
    )
  return [...persons, ...events]
}

/* Without this, a crash is a worker that is never chosen again. */
function ofCrashes(world: World): readonly Choice[] {
  if (world.scenario.crashes !== true) return []
  return world.actors
    .filter((actor) => !actor.hasEnded && world.jobs.has(actor.name))
    .map((actor) => ({
      label: `${actor.name} crashes, and its job is delivered again`,
      cost: 1,
      take: () => {
        actor.hasEnded = true
        actor.pending = undefined
        const request = world.service.requestOf(actor)
        if (request !== undefined) request.phase = request.phase === 'sent' ? 'away' : 'ended'
        const job = world.jobs.get(actor.name)
        return job === undefined ? undefined : addWorker(world, `${actor.name}+`, job)
      },
    }))
}
