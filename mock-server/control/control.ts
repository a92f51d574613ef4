import type { Context } from 'hono'
import { Hono } from 'hono/tiny'
import type { MockServer, MockSession } from '../contract/mock-server.ts'
import type { MockSnapshot } from '../contract/snapshot.ts'
import { ENDPOINT_PATH } from '../sandbox/paths.ts'
import type { Duration } from '../world/clock.ts'
import type { SiteEnv } from './env.ts'
import { eventStream } from './events.ts'
import { bodyOf, misuseOf, must, refuse, textIn } from './misuse.ts'
import { peopleRoutes } from './people.ts'
import { trafficRoutes } from './traffic.ts'

/** The control API: what a tester does to a mock, as JSON over HTTP, for every language. */
export function controlOf(mock: MockServer): Hono<SiteEnv> {
  return new Hono<SiteEnv>()
    .onError((error, c) => {
      const { status, code, message } = misuseOf(error)
      return c.json({ error: { code, message } }, status)
    })
    .use(async (c, next) => {
      const isWrite = c.req.method === 'POST' || c.req.method === 'PUT'
      if (isWrite && !/^application\/json\s*(;|$)/i.test(c.req.header('content-type') ?? '')) {
        // No page can send this type to another origin unasked, which is half of the guard against them.
        refuse(415, 'JSON_NEEDED', 'Send POST and PUT with content-type: application/json.')
      }
      if (isWrite && c.env.isUnread) refuse(413, 'UNREADABLE', 'The body is too large, or not UTF-8.')
      await next()
    })
    .get('/health', (c) => c.json(healthOf(mock)))
    .get('/keys', (c) => c.json(addressesOf(mock, c.env.base)))
    .get('/events', (c) => eventStream(mock, c.env.signal))
    .post('/reset', (c) => {
      mock.reset()
      return c.json(healthOf(mock))
    })
    .post('/settle', async (c) => {
      await mock.settle()
      return c.json(healthOf(mock))
    })
    .get('/state', (c) => c.json(mock.snapshot()))
    .put('/state', async (c) => {
      const snapshot = await bodyOf(c)
      must(() => mock.restore(snapshot as unknown as MockSnapshot))
      return c.json(healthOf(mock))
    })
    .get('/clock', (c) => c.json(clockOf(mock)))
    .put('/clock', async (c) => c.json(await setClock(mock, c)))
    .post('/clock/advance', async (c) => {
      const { by } = await bodyOf(c)
      await mock.clock.advance((by ?? '') as Duration)
      return c.json(clockOf(mock))
    })
    .get('/sessions', (c) => c.json({ sessions: mock.sessions.map((session) => sessionAt(session, c.env.base)) }))
    .post('/sessions', async (c) => {
      const { id } = await bodyOf(c)
      if (id !== undefined && typeof id !== 'string') refuse(400, 'BAD_REQUEST', 'id has to be a text.')
      return c.json(sessionAt(mock.openSession({ id }), c.env.base), 201)
    })
    .delete('/sessions/:id', async (c) => {
      const session = mock.sessions.find(({ id }) => id === c.req.param('id'))
      await (session ?? refuse(404, 'NOT_FOUND', 'There is no such session.')).close()
      return c.body(null, 204)
    })
    .route('/', peopleRoutes(mock))
    .route('/', trafficRoutes(mock))
    .all('*', (c) => {
      const message = `There is no ${c.req.method} ${c.req.path} in the control API: docs/mock-control.md lists what there is.`
      return c.json({ error: { code: 'NOT_FOUND', message } }, 404)
    })
}

function healthOf(mock: MockServer) {
  const { invites, outbox, callbacks, faults, journal, sessions } = mock
  return {
    status: 'ok',
    ...clockOf(mock),
    invites: invites.length,
    mails: outbox.length,
    callbacks: callbacks.list().length,
    faults: faults.list().length,
    requests: journal.list().length,
    requestsDropped: journal.dropped,
    sessions: sessions.length,
  }
}

function addressesOf({ apiKeys, adminSession }: MockServer, base: string) {
  return { baseUrl: base, endpoint: base + ENDPOINT_PATH, apiKeys, adminSession }
}

function sessionAt(session: MockSession, base: string) {
  return { id: session.id, ...addressesOf(session, `${base}/s/${session.id}`) }
}

function clockOf({ clock }: MockServer) {
  return { now: clock.now().toISOString(), frozen: clock.frozen }
}

async function setClock(mock: MockServer, c: Context<SiteEnv>) {
  const body = await bodyOf(c)
  const { frozen } = body
  if (typeof frozen !== 'boolean') refuse(400, 'BAD_REQUEST', 'frozen has to be true or false.')
  if (frozen) await mock.clock.freeze('now' in body ? textIn(body, 'now') : undefined)
  else if ('now' in body)
    refuse(400, 'BAD_REQUEST', 'now goes with "frozen": true; a clock that follows is moved by /clock/advance.')
  else mock.clock.follow()
  return clockOf(mock)
}
