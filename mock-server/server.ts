import { type Parts, partsOf } from './assembly.ts'
import type { MockServer, MockSession, MockSessionOptions } from './contract/mock-server.ts'
import type { MockServerOptions } from './contract/options.ts'
import { ENDPOINT_PATH } from './contract/paths.ts'
import { fetchOf, Waits } from './in-process-fetch.ts'
import { Listeners } from './listeners.ts'
import { candidateOf, challengeOf } from './sandbox/candidates.ts'
import { clockControl } from './sandbox/clock-control.ts'
import { mailToCome } from './sandbox/mail-wait.ts'
import type { Router, SiteRequest } from './sandbox/router.ts'
import { inviteRow, mailRow, mailRows, trackRows } from './sandbox/rows.ts'
import { sessionKeys } from './sandbox/sessions.ts'
import { readSnapshot, writeSnapshot } from './sandbox/snapshot.ts'
import { assertOptions } from './schemas/options.ts'
import { resetWorld } from './world/candidate-actions.ts'
import { worldDataWith } from './world/catalogue.ts'

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
  assertOptions(options)
  const baseUrl = normalisedBase(options.baseUrl ?? 'https://certify.test')
  const seed = options.seed ?? 'certify'
  const parts = partsOf(options, { seed, sessionToken: place.sessionToken, site: lazySite(() => mock) })
  const { world, changes, timeline, sessions, identity, router } = parts
  const ending = { closed: new AbortController() }
  const touch = (): void => timeline.touch()

  const mock: MockServer = {
    endpoint: baseUrl + ENDPOINT_PATH,
    get worldId() {
      return identity.worldId
    },
    get apiKey() {
      return world.apiKeys[0]?.key ?? ''
    },
    get apiKeys() {
      return world.apiKeys
    },
    adminSession: { headers: { authorization: `Bearer ${world.sessionToken}` } },
    clock: clockControl(world, timeline, changes),
    get invites() {
      return Array.from(world.state.invites.values(), (invite) => inviteRow(world, invite))
    },
    get outbox() {
      return mailRows(world)
    },
    waitForMail: async (wait = {}) => mailRow(await mailToCome(world, changes, wait, ending.closed.signal)),
    get tracks() {
      return trackRows(world)
    },
    get quizzes() {
      return [...world.state.quizzes.values()]
    },
    candidate: (email) => candidateOf(world, email, touch),
    open: (link) => challengeOf(world, link, touch),
    disableQuiz: (quizId) => world.setReady(quizId, false),
    enableQuiz: (quizId) => world.setReady(quizId, true),
    ...membersOf(parts),
    settle: () => timeline.settled(),
    reset: () => reset(parts),
    snapshot: () => writeSnapshot(world, parts.callbacks),
    restore(snapshot) {
      readSnapshot(snapshot, world, parts.callbacks)
      timeline.stop()
      beginAnew(parts)
    },
    subscribe: (listener) => changes.subscribe(listener),
    openSession: place.openSession ?? sessionOpener({ ...options, baseUrl, seed }, parts),
    get sessions() {
      return sessions.list()
    },
    ...servingOf(router, baseUrl, async () => {
      timeline.stop()
      parts.callbacks.stop()
      ending.closed.abort()
      ending.closed = new AbortController()
      await Promise.all(sessions.list().map((session) => session.close()))
      await parts.callbacks.settled()
      place.onClose?.()
    }),
  }
  return { mock, router }
}

/** How a mock is reached, in process and over HTTP, until it is closed. */
function servingOf(router: Router, baseUrl: string, onClose: () => Promise<void>) {
  const listeners = new Listeners(router)
  const waits = new Waits()
  return {
    baseUrl,
    fetch: fetchOf(router, baseUrl, waits),
    listen: (where = {}) => listeners.listen(where),
    async close() {
      waits.end()
      await Promise.all([listeners.close(), onClose()])
    },
  } satisfies Partial<MockServer>
}

/** Those members of a mock that are objects of their own, without what only the mock itself does with them. */
function membersOf({ faults, callbacks, requestLog }: Parts): Pick<MockServer, 'faults' | 'callbacks' | 'requestLog'> {
  return {
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
    requestLog: {
      list: () => requestLog.list(),
      get dropped() {
        return requestLog.dropped
      },
      clear: () => requestLog.clear(),
    },
  }
}

/** Opens sessions: worlds of their own, made of the same options. */
function sessionOpener(
  options: MockServerOptions & { readonly baseUrl: string; readonly seed: string },
  { world, sessions, changes }: Parts,
): MockServer['openSession'] {
  const open = ({ id: wanted }: MockSessionOptions = {}): MockSession => {
    const id = sessions.newId(wanted)
    const apiKeys = sessionKeys(id, worldDataWith(options.world).apiKeys)
    const own = {
      ...options,
      baseUrl: `${options.baseUrl}/s/${id}`,
      seed: `${options.seed} ${id}`,
      world: { ...options.world, apiKeys },
    }
    const { mock, router } = serverOf(own, {
      sessionToken: `${world.sessionToken}_${id}`,
      openSession: open,
      onClose: () => {
        sessions.remove(id)
        changes.note('sessions')
      },
    })
    const session = Object.assign(mock, { id })
    sessions.add(id, { router, mock: session })
    changes.note('sessions')
    return session
  }
  return open
}

function reset(parts: Parts): void {
  const { timeline, sender, world, faults, callbacks, requestLog } = parts
  timeline.stop()
  sender.reset()
  resetWorld(world)
  faults.reset()
  callbacks.reset()
  requestLog.reset()
  beginAnew(parts)
}

/** This is another world now. */
function beginAnew({ limit, identity, timeline, changes }: Parts): void {
  limit.reset()
  identity.worldId = crypto.randomUUID()
  timeline.touch()
  changes.note('clock')
}

/** The page and the control API: loaded when they are first asked for, so that a mock without them stays small. */
function lazySite(mock: () => MockServer): (request: SiteRequest) => Promise<Response> {
  let loaded: Promise<(request: SiteRequest) => Promise<Response>> | undefined
  return async (request) => {
    loaded ??= import('./site.ts').then(({ siteOf }) => siteOf(mock()))
    return (await loaded)(request)
  }
}

/** Checked, in the spelling that requests will have, and without a slash at the end. */
function normalisedBase(baseUrl: string): string {
  if (!/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw new Error(`baseUrl has to be a http:// or https:// URL, not ${JSON.stringify(baseUrl)}.`)
  }
  const { origin, pathname } = new URL(baseUrl)
  return origin + pathname.replace(/\/+$/, '')
}
