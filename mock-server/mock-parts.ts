import { GraphQLEndpoint } from './api/graphql-endpoint.ts'
import { RateLimit } from './api/rate-limit.ts'
import type { MockServerOptions } from './generated/contract.ts'
import { Callbacks } from './sandbox/callbacks/callbacks.ts'
import { CallbackSender } from './sandbox/callbacks/sender.ts'
import { Changes } from './sandbox/changes.ts'
import { Timeline } from './sandbox/clock/timeline.ts'
import { Faults } from './sandbox/faults/faults.ts'
import type { Beginning } from './sandbox/initial-world.ts'
import { RequestLog } from './sandbox/request-log.ts'
import { type Router, type RouterParts, routerOf } from './sandbox/router.ts'
import { mockRows } from './sandbox/rows.ts'
import { Sessions } from './sandbox/sessions.ts'
import { createWorld, PlannedActions } from './world/candidate-actions.ts'
import type { World } from './world/world.ts'

/** Everything that a mock is made of: its world, and what a tester does to it. */
export type Parts = ReturnType<typeof assemble>

interface Surroundings {
  readonly beginning: Beginning
  readonly seed: string
  readonly sessionToken?: string | undefined
  readonly site: RouterParts['site']
}

/** Makes the parts of one mock, and connects them. */
export function assemble(options: MockServerOptions, { beginning, seed, sessionToken, site }: Surroundings) {
  // One object for all parts, so that a changed switch applies to each of them.
  const behaviour = { ...beginning.behaviour }
  const changes = new Changes()
  const world: World = createWorld({
    data: beginning.data,
    behaviour,
    seed,
    ...(options.now !== undefined && { now: options.now }),
    ...(sessionToken !== undefined && { sessionToken }),
    listener: (event) => callbacks.enqueue(event),
    onChange: () => changes.note('world'),
  })
  const faults = new Faults({
    world,
    seed,
    onChange: () => changes.note('faults'),
  })
  const sender = new CallbackSender(options.callbacks ?? {})
  const callbacks: Callbacks = new Callbacks({
    clock: world.clock,
    behaviour,
    sender,
    faultFor: (event) => faults.nextForCallback(event),
    onDueChange: () => timeline.touch(),
    onChange: () => changes.note('callbacks'),
  })
  const timeline = new Timeline(world.clock, [new PlannedActions(world), callbacks])
  const endpoint = new GraphQLEndpoint(world, behaviour)
  const limit = new RateLimit(world.clock, behaviour)
  const requestLog = new RequestLog({
    world,
    operations: (request) => endpoint.operationsIn(request),
    onChange: () => changes.note('requestLog'),
  })
  const identity: { worldId: string } = { worldId: crypto.randomUUID() }
  const sessions = new Sessions(routerOf({ world, endpoint, faults, limit, requestLog, identity, site }), seed)
  const router: Router = (request, base, access) => {
    const route = sessions.router(request, base, access)
    if (route.kind === 'site') return route
    return {
      kind: 'service',
      outcome(body) {
        const outcome = route.outcome(body)
        timeline.touch()
        return outcome
      },
    }
  }
  const start = { beginning }
  const rows = mockRows(world, callbacks, requestLog)
  const sandbox = { changes, rows, faults, sender, callbacks, timeline, requestLog, sessions }
  return { start, behaviour, world, limit, identity, router, ...sandbox }
}
