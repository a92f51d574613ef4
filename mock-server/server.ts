import { dialectWith } from './api/dialect.ts'
import { GraphQLEndpoint } from './api/graphql-over-http.ts'
import { RateLimit } from './api/rate-limit.ts'
import { ENDPOINT_PATH, type Router, routerOf, type Visit } from './api/router.ts'
import type { MockServer, MockSession, MockSessionOptions } from './contract.ts'
import { fetchOf, Waits } from './fetch.ts'
import { Listeners } from './listeners.ts'
import { assertOptions } from './options.ts'
import { Callbacks } from './sandbox/callbacks.ts'
import { challengeOf } from './sandbox/challenge.ts'
import { Changes } from './sandbox/changes.ts'
import { Courier } from './sandbox/courier.ts'
import { Faults } from './sandbox/faults.ts'
import { Journal } from './sandbox/journal.ts'
import { mailToCome } from './sandbox/outbox.ts'
import { Sessions, sessionKeys } from './sandbox/sessions.ts'
import { readSnapshot, writeSnapshot } from './sandbox/snapshot.ts'
import { Timeline } from './sandbox/timeline.ts'
import type { MockServerOptions } from './server-options.ts'
import { attemptRows, certificationRows, inviteRow, mailRow, mailRows, trackRows } from './views.ts'
import { worldDataWith } from './world/catalogue.ts'
import { durationMs, isoTime, millisecondsOf } from './world/clock.ts'
import { EVENT_TYPES } from './world/events.ts'
import type { Invite } from './world/model.ts'
import { World } from './world/world.ts'

/** A mock, and the router that answers for it. */
export interface Server {
  readonly mock: MockServer
  readonly router: Router
}

/** What a session is given by the mock that it belongs to. */
interface Place {
  readonly sessionToken?: string
  readonly openSession?: MockServer['openSession']
  readonly onClose?: () => void
}

/** Puts a world and everything that a tester does to it together. */
export function serverOf(options: MockServerOptions, place: Place = {}): Server {
  const { sessionToken, openSession, onClose = () => {} } = place
  assertOptions(options)
  const baseUrl = normalisedBase(options.baseUrl ?? 'https://certify.test')
  const seed = options.seed ?? 'certify'
  const dialect = dialectWith(options.dialect ?? {})
  const changes = new Changes()
  const world: World = new World({
    data: worldDataWith(options.world),
    dialect,
    seed,
    ...(options.now !== undefined && { now: options.now }),
    ...(sessionToken !== undefined && { sessionToken }),
    listener: (event) => callbacks.enqueue(event),
    onChange: () => changes.note('world'),
  })
  const faults = new Faults({
    world,
    seed,
    events: EVENT_TYPES.map((type) => dialect.eventNames[type] ?? type),
    onChange: () => changes.note('faults'),
  })
  const courier = new Courier(options.callbacks ?? {}, dialect.callbackSigning)
  const callbacks: Callbacks = new Callbacks({
    clock: world.clock,
    dialect,
    courier,
    faultFor: (event) => faults.nextForCallback(event),
    onPlan: () => timeline.touch(),
    onChange: () => changes.note('callbacks'),
  })
  const timeline = new Timeline(world.clock, [world, callbacks])
  const endpoint = new GraphQLEndpoint(world, dialect)
  const limit = new RateLimit(world.clock, dialect.rateLimit)
  const journal = new Journal({
    clock: world.clock,
    apiKeys: () => world.apiKeys,
    sessionToken: world.sessionToken,
    operations: (request) => endpoint.operationsIn(request),
    onChange: () => changes.note('journal'),
  })
  let worldId: string = crypto.randomUUID()
  const ownRouter = routerOf({
    world,
    endpoint,
    faults,
    limit,
    journal,
    worldId: () => worldId,
    desk: (visit) => desk(visit),
  })
  const sessions = new Sessions(ownRouter, seed)
  const router: Router = (request, base, door) => {
    const outcome = sessions.router(request, base, door)
    timeline.touch()
    return outcome
  }
  const listeners = new Listeners(router)
  const waits = new Waits()
  let closed = new AbortController()

  const inviteAt = (link: string): Invite => {
    const token = /\/challenge\/([^/?#]+)/.exec(link)?.[1]
    const invite = token === undefined ? world.state.invites.get(link) : world.state.inviteByToken(token)
    if (!invite) throw new Error('This world has no invite with that link or identifier.')
    return invite
  }

  const openHere = ({ id: wanted }: MockSessionOptions = {}): MockSession => {
    const id = sessions.newId(wanted)
    const apiKeys = sessionKeys(id, worldDataWith(options.world).apiKeys)
    const parts = {
      ...options,
      baseUrl: `${baseUrl}/s/${id}`,
      seed: `${seed} ${id}`,
      world: { ...options.world, apiKeys },
    }
    const { mock: own, router: answer } = serverOf(parts, {
      sessionToken: `${world.sessionToken}_${id}`,
      openSession: openHere,
      onClose: () => {
        sessions.remove(id)
        changes.note('sessions')
      },
    })
    const session = Object.assign(own, { id })
    sessions.add(id, { router: answer, mock: session })
    changes.note('sessions')
    return session
  }

  const mock: MockServer = {
    baseUrl,
    endpoint: baseUrl + ENDPOINT_PATH,
    get worldId() {
      return worldId
    },
    get apiKey() {
      return world.apiKeys[0]?.key ?? ''
    },
    get apiKeys() {
      return world.apiKeys
    },
    adminSession: { headers: { authorization: `Bearer ${world.sessionToken}` } },
    clock: {
      now: () => new Date(world.clock.now()),
      get frozen() {
        return world.clock.isFrozen
      },
      async freeze(at) {
        const now = world.clock.now()
        const target = at === undefined ? now : millisecondsOf(at)
        if (target < now) throw new Error(movesForward(now, target))
        world.clock.freeze()
        await timeline.travel(() => target)
        changes.note('clock')
      },
      follow() {
        world.clock.follow()
        timeline.touch()
        changes.note('clock')
      },
      async advance(by) {
        const byMs = durationMs(by)
        await timeline.travel(() => world.clock.now() + byMs)
        changes.note('clock')
      },
    },
    get invites() {
      return Array.from(world.state.invites.values(), (invite) => inviteRow(world, invite))
    },
    get outbox() {
      return mailRows(world)
    },
    async waitForMail(wait = {}) {
      const source = { mails: () => world.state.mails, keyOf: (email: string) => world.keyOf(email), changes }
      return mailRow(await mailToCome(source, wait, closed.signal))
    },
    get tracks() {
      return trackRows(world)
    },
    get quizzes() {
      return [...world.state.quizzes.values()]
    },
    candidate: (email) => ({
      email,
      startAttempt: (quizId) => world.startAttempt(email, quizId),
      certify: (quizId) => {
        world.certify(email, quizId)
        timeline.touch()
      },
      get attempts() {
        return attemptRows(world, email)
      },
      get certifications() {
        return certificationRows(world, email)
      },
    }),
    open: (link) => challengeOf(world, inviteAt(link).inviteId, () => timeline.touch()),
    disableQuiz: (quizId) => world.setReady(quizId, false),
    enableQuiz: (quizId) => world.setReady(quizId, true),
    faults: {
      add: (rule) => faults.add(rule),
      list: () => faults.list(),
      remove: (id) => faults.remove(id),
      clear: () => faults.clear(),
    },
    callbacks: {
      list: () => callbacks.list(),
      redeliver: (id) => callbacks.redeliver(id),
      deliverTo: (deliver) => callbacks.deliverTo(deliver),
      get paused() {
        return callbacks.paused
      },
      pause: () => callbacks.pause(),
      resume: () => callbacks.resume(),
    },
    journal: {
      list: () => journal.list(),
      get dropped() {
        return journal.dropped
      },
      clear: () => journal.clear(),
    },
    settle: () => timeline.settled(),
    reset() {
      timeline.stop()
      courier.reset()
      world.reset()
      faults.reset()
      callbacks.reset()
      journal.reset()
      limit.reset()
      worldId = crypto.randomUUID()
      timeline.touch()
      changes.note('clock')
    },
    snapshot: () => writeSnapshot(world, callbacks),
    restore(snapshot) {
      readSnapshot(snapshot, world, callbacks)
      timeline.stop()
      limit.reset()
      worldId = crypto.randomUUID()
      timeline.touch()
      changes.note('clock')
    },
    subscribe: (listener) => changes.subscribe(listener),
    openSession: openSession ?? openHere,
    get sessions() {
      return sessions.list()
    },
    fetch: fetchOf(router, baseUrl, waits),
    listen: (where = {}) => listeners.listen(where),
    async close() {
      timeline.stop()
      callbacks.stop()
      waits.end()
      closed.abort()
      closed = new AbortController()
      await Promise.all([listeners.close(), ...sessions.list().map((session) => session.close())])
      await callbacks.settled()
      onClose()
    },
  }
  const desk = lazyDesk(mock)
  return { mock, router }
}

/** The page and the control API: loaded when they are first asked for, so that a mock without them stays small. */
function lazyDesk(mock: MockServer): (visit: Visit) => Promise<Response> {
  let loaded: Promise<(visit: Visit) => Promise<Response>> | undefined
  return async (visit) => {
    loaded ??= import('./desk.ts').then(({ deskOf }) => deskOf(mock))
    return (await loaded)(visit)
  }
}

function movesForward(now: number, target: number): string {
  return `The clock of a world moves only forward: it is ${isoTime(now)}, so it cannot be frozen at ${isoTime(target)}. A world that begins in the past is made with createMockServer({ now }).`
}

/** Checked, in the spelling that requests will have, and without a slash at the end. */
function normalisedBase(baseUrl: string): string {
  if (!/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw new Error(`baseUrl has to be a http:// or https:// URL, not ${JSON.stringify(baseUrl)}.`)
  }
  const { origin, pathname } = new URL(baseUrl)
  return origin + pathname.replace(/\/+$/, '')
}
