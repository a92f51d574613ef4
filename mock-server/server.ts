import { dialectWith } from './api/dialect.ts'
import { GraphQLEndpoint } from './api/graphql-over-http.ts'
import { RateLimit } from './api/rate-limit.ts'
import { ENDPOINT_PATH, type Router, routerOf } from './api/router.ts'
import type { MockServer, MockServerOptions, MockSession } from './contract.ts'
import { fetchOf, Waits } from './fetch.ts'
import { Listeners } from './listeners.ts'
import { assertOptions } from './options.ts'
import { Callbacks } from './sandbox/callbacks.ts'
import { Courier } from './sandbox/courier.ts'
import { Faults } from './sandbox/faults.ts'
import { Journal } from './sandbox/journal.ts'
import { Sessions, sessionKeys } from './sandbox/sessions.ts'
import { readSnapshot, writeSnapshot } from './sandbox/snapshot.ts'
import { Timeline } from './sandbox/timeline.ts'
import type { MockChallenge } from './tester.ts'
import { attemptRows, certificationRows, inviteRow, mailRows, trackRows } from './views.ts'
import { DEFAULT_CATALOGUE } from './world/catalogue.ts'
import { durationMs, isoTime, millisecondsOf } from './world/clock.ts'
import { EVENT_TYPES } from './world/events.ts'
import { claimFollowUp, offerOf } from './world/follow-ups.ts'
import type { Invite, WorldData } from './world/model.ts'
import { World } from './world/world.ts'

/** A mock, and the router that answers for it. */
export interface Server {
  readonly mock: MockServer
  readonly router: Router
}

/** What a session is given by the mock that it belongs to. */
interface Place {
  readonly sessionToken?: string
  readonly openSession?: () => MockSession
  readonly onClose?: () => void
}

/** Puts a world and everything that a tester does to it together. */
export function serverOf(options: MockServerOptions, place: Place = {}): Server {
  const { sessionToken, openSession, onClose = () => {} } = place
  assertOptions(options)
  const baseUrl = normalisedBase(options.baseUrl ?? 'https://certify.test')
  const seed = options.seed ?? 'certify'
  const dialect = dialectWith(options.dialect ?? {})
  const world: World = new World({
    data: worldData(options.world ?? {}),
    dialect,
    seed,
    ...(options.now !== undefined && { now: options.now }),
    ...(sessionToken !== undefined && { sessionToken }),
    listener: (event) => callbacks.enqueue(event),
  })
  const faults = new Faults(
    world,
    seed,
    EVENT_TYPES.map((type) => dialect.eventNames[type] ?? type),
  )
  const courier = new Courier(options.callbacks ?? {}, dialect.callbackSigning)
  const callbacks: Callbacks = new Callbacks({
    clock: world.clock,
    dialect,
    courier,
    faultFor: (event) => faults.nextForCallback(event),
    onPlan: () => timeline.touch(),
  })
  const timeline = new Timeline(world.clock, [world, callbacks])
  const endpoint = new GraphQLEndpoint(world, dialect)
  const limit = new RateLimit(world.clock, dialect.rateLimit)
  const journal = new Journal({
    clock: world.clock,
    apiKeys: () => world.apiKeys,
    sessionToken: world.sessionToken,
    operations: (request) => endpoint.operationsIn(request),
  })
  let worldId: string = crypto.randomUUID()
  const ownRouter = routerOf({ world, endpoint, faults, limit, journal, worldId: () => worldId })
  const sessions = new Sessions(ownRouter, seed)
  const router: Router = (request, base) => {
    const outcome = sessions.router(request, base)
    timeline.touch()
    return outcome
  }
  const listeners = new Listeners(router)
  const waits = new Waits()

  const inviteAt = (link: string): Invite => {
    const token = /\/challenge\/([^/?#]+)/.exec(link)?.[1]
    const invite = token === undefined ? world.state.invites.get(link) : world.state.inviteByToken(token)
    if (!invite) throw new Error('This world has no invite with that link or identifier.')
    return invite
  }

  const opened = new Map<string, MockSession>()
  const openHere = (): MockSession => {
    const id = sessions.newId()
    const apiKeys = sessionKeys(id, worldData(options.world ?? {}).apiKeys)
    const seedOfItsOwn = `${seed} ${id}`
    const parts = {
      ...options,
      baseUrl: `${baseUrl}/s/${id}`,
      seed: seedOfItsOwn,
      world: { ...options.world, apiKeys },
    }
    const { mock: own, router: answer } = serverOf(parts, {
      sessionToken: `${world.sessionToken}_${id}`,
      openSession: openHere,
      onClose: () => {
        sessions.remove(id)
        opened.delete(id)
      },
    })
    const { authorization } = own.adminSession.headers
    const opens = (key: string | null, header: string | null): boolean =>
      own.apiKeys.some((known) => known.key === key) || (header !== null && header === authorization)
    sessions.add(id, { router: answer, opens })
    const found = Object.assign(own, { id })
    opened.set(id, found)
    return found
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
      async freeze(at) {
        const now = world.clock.now()
        const target = at === undefined ? now : millisecondsOf(at)
        if (target < now) throw new Error(movesForward(now, target))
        world.clock.freeze()
        await timeline.travel(() => target)
      },
      follow() {
        world.clock.follow()
        timeline.touch()
      },
      async advance(by) {
        const byMs = durationMs(by)
        await timeline.travel(() => world.clock.now() + byMs)
      },
    },
    get invites() {
      return Array.from(world.state.invites.values(), (invite) => inviteRow(world, invite))
    },
    get outbox() {
      return mailRows(world)
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
      clear: () => faults.clear(),
    },
    callbacks: {
      list: () => callbacks.list(),
      redeliver: (id) => callbacks.redeliver(id),
      deliverTo: (deliver) => callbacks.deliverTo(deliver),
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
    },
    snapshot: () => writeSnapshot(world, callbacks),
    restore(snapshot) {
      timeline.stop()
      readSnapshot(snapshot, world, callbacks)
      limit.reset()
      worldId = crypto.randomUUID()
      timeline.touch()
    },
    openSession: openSession ?? openHere,
    get sessions() {
      return [...opened.values()]
    },
    fetch: fetchOf(router, baseUrl, waits),
    listen: (where = {}) => listeners.listen(where),
    async close() {
      timeline.stop()
      callbacks.stop()
      waits.end()
      await Promise.all([listeners.close(), ...Array.from(opened.values(), (session) => session.close())])
      await callbacks.settled()
      onClose()
    },
  }
  return { mock, router }
}

/** What a tester does in the place of the candidate behind one link. */
function challengeOf(world: World, inviteId: string, onDone: () => void): MockChallenge {
  const done = (act: 'start' | 'pass' | 'fail' | 'abandon') => (): void => {
    world.act(inviteId, act)
    onDone()
  }
  return {
    get invite() {
      return inviteRow(world, world.inviteOf(inviteId))
    },
    get offer() {
      return offerOf(world, world.inviteOf(inviteId))?.kind ?? null
    },
    start: done('start'),
    pass: done('pass'),
    fail: done('fail'),
    abandon: done('abandon'),
    claim(kind) {
      const followUp = claimFollowUp(world, world.inviteOf(inviteId), kind)
      onDone()
      return inviteRow(world, followUp)
    },
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

function worldData(parts: Partial<WorldData>): WorldData {
  const { quizzes, tracks, candidates, apiKeys } = parts
  return {
    quizzes: quizzes ?? DEFAULT_CATALOGUE.quizzes,
    tracks: tracks ?? (quizzes ? [] : DEFAULT_CATALOGUE.tracks),
    candidates: candidates ?? (quizzes || tracks ? [] : DEFAULT_CATALOGUE.candidates),
    apiKeys: apiKeys ?? DEFAULT_CATALOGUE.apiKeys,
  }
}
