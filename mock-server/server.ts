import { GraphQLEndpoint } from './api/graphql-endpoint.ts'
import { switchesWith } from './contract/behaviour.ts'
import type { MockServer, MockSession } from './contract/mock-server.ts'
import { assertOptions } from './contract/options.ts'
import { ENDPOINT_PATH } from './contract/paths.ts'
import { assertWorld } from './contract/world.ts'
import type {
  ApiKey,
  BehaviourSwitches,
  MockServerOptions,
  MockSessionOptions,
  MockWorld,
  WorldData,
} from './generated/contract.ts'
import { fetchOf } from './in-process-fetch.ts'
import { Listeners } from './listeners.ts'
import { CallbackSender } from './sandbox/callback-sender.ts'
import { Callbacks } from './sandbox/callbacks.ts'
import { Changes } from './sandbox/changes.ts'
import { Faults } from './sandbox/faults.ts'
import { RequestLog } from './sandbox/request-log.ts'
import { type Router, type RouterParts, routerOf, type SiteRequest } from './sandbox/router.ts'
import { type Internals, inviteRow, mailRow, mockRows, trackRows } from './sandbox/rows.ts'
import { sessionKeys, Sessions } from './sandbox/sessions.ts'
import { readSnapshot, writeSnapshot } from './sandbox/snapshot.ts'
import { candidateOf, challengeOf, inviteCreation } from './sandbox/test-actions.ts'
import { clockControl, Timeline } from './sandbox/timeline.ts'
import { waitsOf } from './sandbox/waits.ts'
import { createWorld, PlannedActions, resetWorld } from './world/candidate-actions.ts'
import { worldDataWith } from './world/catalogue.ts'
import type { World } from './world/world.ts'

export interface Server {
  readonly mock: MockServer
  readonly router: Router
}

/** What a session receives from its mock. */
interface SessionSettings {
  readonly sessionToken?: string
  readonly openSession?: MockServer['openSession']
  /** Makes the keys of the session from the keys of a world. */
  readonly keys?: (given: readonly ApiKey[]) => readonly ApiKey[]
  readonly onClose?: () => void
}

/** Makes a mock, or one session of a mock. */
export function serverOf(options: MockServerOptions, session: SessionSettings = {}): Server {
  assertOptions(options)
  const baseUrl = normalisedBase(options.baseUrl ?? 'https://certify.test')
  const seed = options.seed ?? 'certify'
  const { keys = (given) => given, sessionToken } = session
  const beginning = beginningOf(options.world, (ofWorld) => ({ ...ofWorld, ...options.behaviour }), keys)
  const site = lazySite(() => {
    const create = inviteCreation(parts.world, () => parts.timeline.runDue())
    return [mock, { ...parts, create }]
  })
  const parts = assemble(options, { beginning, seed, sessionToken, site })
  const { world, sessions, identity, router } = parts
  const mock: MockServer = {
    get worldId() {
      return identity.worldId
    },
    get invites() {
      return Array.from(world.state.invites.values(), (invite) => inviteRow(world, invite))
    },
    get outbox() {
      return world.state.mails.map(mailRow)
    },
    get tracks() {
      return trackRows(world)
    },
    get quizzes() {
      return [...world.state.quizzes.values()]
    },
    get sessions() {
      return sessions.list()
    },
    get apiKeys() {
      return world.apiKeys
    },
    get apiKey() {
      return world.apiKeys[0]?.key ?? ''
    },
    get behaviour() {
      return structuredClone(parts.behaviour)
    },
    openSession: session.openSession ?? sessionOpener({ ...options, baseUrl, seed }, parts),
    ...testerActions(parts),
    ...stateActions(parts),
    load(loaded) {
      const next = beginningOf(loaded, (ofWorld) => ({ ...options.behaviour, ...ofWorld }), keys)
      parts.start.beginning = next
      resetParts(parts, next.data)
    },
    ...serving(parts, baseUrl, session.onClose),
  }
  return { mock, router }
}

/** What a world begins with, and returns to at a reset. */
interface Beginning {
  /** As it was given, for sessions. */
  readonly world: MockWorld
  readonly data: WorldData
  readonly behaviour: BehaviourSwitches
}

/**
 * Checks a world, and adds what it leaves out. Throws one error that names everything that is wrong with it.
 *
 * @param switches the world's switches, overridden by the caller's
 * @param keys the keys of a session are its own
 */
function beginningOf(
  world: MockWorld | undefined,
  switches: (ofWorld: Partial<BehaviourSwitches>) => Partial<BehaviourSwitches>,
  keys: (given: readonly ApiKey[]) => readonly ApiKey[],
): Beginning {
  const ofWorld: unknown = Object(world).behaviour
  const set = switches(typeof ofWorld === 'object' && ofWorld !== null ? ofWorld : {})
  if (world !== undefined) assertWorld(world, set.candidateIdentity ?? 'normalised-email')
  const data = worldDataWith(world)
  return { world: world ?? {}, data: { ...data, apiKeys: keys(data.apiKeys) }, behaviour: switchesWith(set) }
}

/** Everything that a mock is made of: its world, and what a tester does to it. */
type Parts = ReturnType<typeof assemble>

interface Settings {
  readonly beginning: Beginning
  readonly seed: string
  readonly sessionToken?: string | undefined
  readonly site: RouterParts['site']
}

/** Makes the parts of one mock, and connects them. */
function assemble(options: MockServerOptions, { beginning, seed, sessionToken, site }: Settings) {
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
  const faults = new Faults({ world, seed, onChange: () => changes.note('faults') })
  const sender = new CallbackSender(options.callbacks ?? {})
  const callbacks: Callbacks = new Callbacks({
    clock: world.clock,
    behaviour,
    sender,
    faultFor: (event) => faults.nextForCallback(event),
    onDueChange: () => timeline.runDue(),
    onChange: () => changes.note('callbacks'),
  })
  const timeline = new Timeline(world.clock, [new PlannedActions(world), callbacks])
  const endpoint = new GraphQLEndpoint(world, behaviour)
  const requestLog = new RequestLog({ world, onChange: () => changes.note('requestLog') })
  const identity: { worldId: string } = { worldId: crypto.randomUUID() }
  const sessions = new Sessions(seed)
  const router = routerOf({ world, endpoint, faults, requestLog, sessions, timeline, identity, site })
  const start = { beginning }
  const rows = mockRows(world, callbacks, requestLog)
  const sandbox = { changes, rows, faults, sender, callbacks, timeline, requestLog, sessions }
  return { start, behaviour, world, endpoint, identity, router, ...sandbox }
}

/** What a tester does to the clock, the candidates, the quizzes and the traffic. */
function testerActions(parts: Parts) {
  const { world, changes, timeline, faults, callbacks, requestLog } = parts
  const runDue = (): void => timeline.runDue()
  return {
    clock: clockControl(world, timeline, changes),
    candidate: (email) => candidateOf(world, email, runDue),
    open: (link) => challengeOf(world, link, runDue),
    disableQuiz: (quizId) => world.setReady(quizId, false),
    enableQuiz: (quizId) => world.setReady(quizId, true),
    faults,
    callbacks,
    requestLog,
    subscribe: (listener) => changes.subscribe(listener),
    settle: () => timeline.settle(),
  } satisfies Partial<MockServer>
}

/** The state as a whole: to save, to restore, and to reset. */
function stateActions(parts: Parts) {
  const { world, timeline, callbacks } = parts
  return {
    snapshot: () => writeSnapshot(world, callbacks),
    restore(snapshot) {
      readSnapshot(snapshot, world, callbacks)
      timeline.stop()
      startNewWorld(parts)
    },
    reset: () => resetParts(parts),
    setBehaviour: (set) => changeBehaviour(parts, set),
  } satisfies Partial<MockServer>
}

/** Sets these switches, from now on. Throws, and changes nothing, if one is not valid. */
function changeBehaviour({ behaviour, endpoint, changes }: Parts, set: Partial<BehaviourSwitches>): void {
  const valid = switchesWith(set, behaviour)
  if (valid.candidateIdentity !== behaviour.candidateIdentity) {
    throw new Error('candidateIdentity is set when a world begins: by createMockServer or by load.')
  }
  Object.assign(behaviour, valid)
  if (set.rateLimit !== undefined) endpoint.resetLimit()
  changes.note('world')
}

/** Returns to the beginning of this world, or begins with other data. */
function resetParts(parts: Parts, data?: WorldData): void {
  const { start, behaviour, world, timeline, sender, faults, callbacks, requestLog } = parts
  timeline.stop()
  sender.reset()
  Object.assign(behaviour, start.beginning.behaviour)
  resetWorld(world, data)
  faults.reset()
  callbacks.reset()
  requestLog.reset()
  startNewWorld(parts)
}

/** Every reset and restore makes another world, which clients recognise by its identifier. */
function startNewWorld({ endpoint, identity, timeline, changes }: Parts): void {
  endpoint.resetLimit()
  identity.worldId = crypto.randomUUID()
  timeline.runDue()
  changes.note('clock')
}

/** How a mock is reached, in process and over HTTP, until it is closed. */
function serving(parts: Parts, baseUrl: string, onClose?: () => void) {
  const { world, changes, timeline, callbacks, sessions, router } = parts
  const listeners = new Listeners(router)
  return {
    baseUrl,
    endpoint: baseUrl + ENDPOINT_PATH,
    adminSession: { headers: { authorization: `Bearer ${world.sessionToken}` } },
    fetch: Object.defineProperty(fetchOf(router, baseUrl, changes), 'worldId', {
      get: () => parts.identity.worldId,
    }),
    listen: (where = {}) => listeners.listen(where),
    ...waitsOf(parts),
    async close() {
      changes.end()
      timeline.stop()
      callbacks.stop()
      await Promise.all([listeners.close(), ...sessions.list().map((session) => session.close())])
      await callbacks.idle()
      onClose?.()
    },
  } satisfies Partial<MockServer>
}

/** Opens sessions: worlds of their own, which begin as this one does. */
function sessionOpener(
  options: MockServerOptions & { readonly baseUrl: string; readonly seed: string },
  { start, world, sessions, changes }: Parts,
): MockServer['openSession'] {
  const open = ({ id: wanted }: MockSessionOptions = {}): MockSession => {
    const id = sessions.newId(wanted)
    const { world: given, behaviour } = start.beginning
    const place = { baseUrl: `${options.baseUrl}/s/${id}`, seed: `${options.seed} ${id}` }
    const { mock, router } = serverOf(
      { ...options, ...place, world: given, behaviour },
      {
        keys: (keys) => sessionKeys(id, keys),
        sessionToken: `${world.sessionToken}_${id}`,
        openSession: open,
        onClose: () => {
          sessions.remove(id)
          changes.note('sessions')
        },
      },
    )
    const session = Object.assign(mock, { id })
    sessions.add(id, { router, mock: session })
    changes.note('sessions')
    return session
  }
  return open
}

/** The page and the control API: loaded at the first request for them, so that a mock without them stays small. */
function lazySite(mockAndInternals: () => [MockServer, Internals]): (request: SiteRequest) => Promise<Response> {
  let loaded: Promise<(request: SiteRequest) => Promise<Response>> | undefined
  return async (request) => {
    loaded ??= import('./site.ts').then(({ sandboxSite }) => sandboxSite(...mockAndInternals()))
    return (await loaded)(request)
  }
}

/** The base as the URLs of requests have it, without a slash at the end. */
function normalisedBase(baseUrl: string): string {
  if (!/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw new Error(`baseUrl must be a http:// or https:// URL, not ${JSON.stringify(baseUrl)}.`)
  }
  const { origin, pathname } = new URL(baseUrl)
  return origin + pathname.replace(/(?<!\/)\/+$/, '')
}
