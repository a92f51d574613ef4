import type { Actor, Choice } from './actor.ts'
import { DAY_MS } from './service.ts'
import { choicesOfVisitors } from './visitors.ts'
import { startWorker } from './worker.ts'
import type { World } from './world.ts'

/** Everything that can happen next, with this many faults left. Always in the same order. */
export function choicesOf(world: World, faults: number): readonly Choice[] {
  const choices = [...world.actors.flatMap((actor) => ofActor(world, actor)), ...ofService(world)]
  return faults === 0
    ? choices.filter(({ cost }) => cost === 0)
    : [...choices, ...ofTime(world), ...choicesOfVisitors(world), ...ofCrashes(world)]
}

function ofActor({ actors, jobs }: World, actor: Actor): readonly Choice[] {
  const before = actors[actors.indexOf(actor) - 1]
  const isTwin = before !== undefined && jobs.has(actor.name) && jobs.get(actor.name) === jobs.get(before.name)
  /* Workers with the same job are interchangeable until they start: one order of starting is enough. */
  if (isTwin && !actor.hasStarted && !before.hasStarted && !before.hasEnded) return []
  return actor.pending?.choices() ?? []
}

/* Including requests whose caller is gone. */
function ofService(world: World): readonly Choice[] {
  return world.service.requests
    .filter(({ phase }) => phase === 'away')
    .map((request) => ({
      label: `the service executes the late request ${request.reference}`,
      cost: 0,
      take: () => world.execute(request, 'ended'),
    }))
}

function ofTime(world: World): readonly Choice[] {
  const passes: Choice = {
    label: 'every lease passes',
    cost: 1,
    take: () => {
      world.store.now += 61_000
    },
  }
  const setRight: Choice = {
    label: "the ledger's clock is set right",
    cost: 0,
    take: () => {
      world.store.behindMs = 0
    },
  }
  const longPasses: Choice = {
    label: '15 days pass',
    cost: 1,
    take: () => {
      world.store.now += 15 * DAY_MS
      endAllCalls(world)
    },
  }
  /* The ledger can only notice a time before its last record. One that is being sent may go when it settles. */
  const goesBack: Choice = {
    label: "the ledger's clock goes back by 20 days",
    cost: 1,
    take: () => {
      world.store.wasBehind = true
      const kept = world.store.sends.filter(({ state }) => state !== 'sending')
      world.store.behindMs = world.store.now - Math.max(...kept.map(({ sentAt }) => sentAt)) + 20 * DAY_MS
    },
  }
  return world.store.behindMs > 0 ? [passes, setRight] : [passes, longPasses, goesBack]
}

/* No process sleeps that long in the middle of a call, and no request stays in flight that long. */
function endAllCalls(world: World): void {
  for (const request of world.service.requests) request.phase = 'ended'
  for (const actor of world.actors) if (!actor.isIdle) world.stop(actor)
}

/* Without this, a crash is a worker that is never chosen again. */
function ofCrashes(world: World): readonly Choice[] {
  if (world.scenario.crashes !== true) return []
  return world.actors.flatMap((actor) => {
    const job = world.jobs.get(actor.name)
    if (actor.hasEnded || job === undefined) return []
    const take = () => {
      world.stop(actor)
      const request = world.service.requestOf(actor)
      if (request !== undefined) request.phase = request.phase === 'sent' ? 'away' : 'ended'
      startWorker(world, `${actor.name}+`, job)
    }
    return { label: `${actor.name} crashes, and its job is delivered again`, cost: 1, take }
  })
}
