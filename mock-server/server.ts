import { copyOfSwitches, switchesWith } from './contract/behaviour.ts'
import type { MockServer, MockSession } from './contract/mock-server.ts'
import { assertOptions } from './contract/options.ts'
import { ENDPOINT_PATH } from './contract/paths.ts'
import type { BehaviourSwitches, MockServerOptions, MockSessionOptions } from './generated/contract.ts'
import { fetchOf } from './in-process-fetch.ts'
import { Listeners } from './listeners.ts'
import { assemble, type Parts } from './mock-parts.ts'
import { clockControl } from './sandbox/clock/clock-control.ts'
import { beginningOf } from './sandbox/initial-world.ts'
import type { Router, SiteRequest } from './sandbox/router.ts'
import type { Internals } from './sandbox/rows.ts'
import { inviteRow, mailRow, trackRows } from './sandbox/rows.ts'
import { sessionKeys } from './sandbox/sessions.ts'
import { readSnapshot, writeSnapshot } from './sandbox/snapshot.ts'
import { candidateOf, challengeOf, inviteCreation } from './sandbox/test-actions.ts'
import { waitsOf } from './sandbox/waits.ts'
import { resetWorld } from './world/candidate-actions.ts'
import type { ApiKey, WorldData } from './world/model.ts'
import { setReady } from './world/quiz-readiness.ts'

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
  const site = lazySite(() => [mock, { ...parts, create: inviteCreation(parts.world, () => parts.timeline.touch()) }])
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
      return copyOfSwitches(parts.behaviour)
    },
    openSession: session.openSession ?? sessionOpener({ ...options, baseUrl, seed }, parts),
    ...testerActions(parts),
    ...stateActions(parts),
    load(loaded) {
      const next = beginningOf(loaded, (ofWorld) => ({ ...options.behaviour, ...ofWorld }), keys)
      parts.start.beginning = next
      beginAgain(parts, next.data)
    },
    ...serving(parts, baseUrl, session.onClose),
  }
  return { mock, router }
}

/** What a tester does to the clock, the candidates, the quizzes and the traffic. */
function testerActions(parts: Parts) {
  const { world, changes, timeline, faults, callbacks, requestLog } = parts
  const touch = (): void => timeline.touch()
  return {
    clock: clockControl(world, timeline, changes),
    candidate: (email) => candidateOf(world, email, touch),
    open: (link) => challengeOf(world, link, touch),
    disableQuiz: (quizId) => setReady(world, quizId, false),
    enableQuiz: (quizId) => setReady(world, quizId, true),
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
    reset: () => beginAgain(parts),
    setBehaviour: (set) => changeBehaviour(parts, set),
  } satisfies Partial<MockServer>
}

/** Sets these switches, from now on. Throws, and changes nothing, if one is not valid. */
function changeBehaviour({ behaviour, limit, changes }: Parts, set: Partial<BehaviourSwitches>): void {
  const valid = switchesWith(set, behaviour)
  if (valid.candidateIdentity !== behaviour.candidateIdentity) {
    throw new Error('candidateIdentity is set when a world begins: by createMockServer or by load.')
  }
  Object.assign(behaviour, valid)
  if (set.rateLimit !== undefined) limit.reset()
  changes.note('world')
}

/** Returns to the beginning of this world, or begins with other data. */
function beginAgain(parts: Parts, data?: WorldData): void {
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
function startNewWorld({ limit, identity, timeline, changes }: Parts): void {
  limit.reset()
  identity.worldId = crypto.randomUUID()
  timeline.touch()
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
    loaded ??= import('./site.ts').then(({ siteOf }) => siteOf(...mockAndInternals()))
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
