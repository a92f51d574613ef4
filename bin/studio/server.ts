import { randomBytes, timingSafeEqual } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Context } from 'hono'
import { Hono } from 'hono/tiny'
import { isFromOtherPage, isFromOwnPage } from '../../mock-server/control/access-check.ts'
import { ControlError, type ErrorResponse, errorWith, refuse } from '../../mock-server/control/control-errors.ts'
import { eventStream } from '../../mock-server/control/event-stream.ts'
import { jsonIn, jsonOnly, type SiteEnv, siteOf } from '../../mock-server/control/local-site.ts'
import { accessFor } from '../../mock-server/listeners.ts'
import { asset, fileRoutes, filesBelow } from '../../mock-server/pages/kit/assets.ts'
import { Changes } from '../../mock-server/sandbox/changes.ts'
import { isKnownHost, siteRouter } from '../../mock-server/sandbox/router.ts'
import { serve } from '../../mock-server/standalone.ts'
import { isCertifyError } from '../../src/index.ts'
import css from './assets/studio.css?raw'
import script from './assets/studio.js?raw'
import { replay, resolve } from './decide.ts'
import { decidedCsv } from './decided.ts'
import { recordsCsv } from './records.ts'
import type { Studio } from './studio.ts'
import { notFound, pages } from './views.ts'

/**
 * Serves the pages of a ledger until it is closed. Every request needs its cookie. A URL of it has a token that is good for one
 * request, which gets the cookie: whoever sees the URL later, in a history or a log, has nothing.
 */
export async function startStudio(
  studio: Studio,
  { port, host }: { readonly port: number; readonly host?: string | undefined },
) {
  const session = secret()
  const unused: Tokens = new Map()
  const where = { port, ...(host !== undefined && { host }) }
  const isAnyAddress = host === '0.0.0.0' || host === '::'
  const access = { ...accessFor(where), ...(isAnyAddress && { hosts: null }) }
  const listener = await serve(siteRouter(siteOf(routesOf(studio, session, unused))), where, access)
  return {
    /** A new URL. `onUse` is called by its first request. */
    newUrl(onUse = () => {}) {
      const token = secret()
      unused.set(token, onUse)
      return `${listener.url}/?token=${token}`
    },
    close: () => listener.close(),
  }
}

/* Of URLs, each with what its first request calls. The cookie has another secret, that of the session. */
type Tokens = Map<string, () => void>

const secret = () => randomBytes(32).toString('base64url')

function routesOf(studio: Studio, session: string, tokens: Tokens): Hono<SiteEnv> {
  const changes = new Changes<'ledger'>()
  let watching: Promise<void> | undefined
  return new Hono<SiteEnv>()
    .onError((error, c) => {
      const { status, ...facts } = responseTo(error)
      return c.req.method === 'POST' ? c.json({ error: facts }, status) : c.text(`${facts.message}\n`, status)
    })
    .use(async (c, next) => (await enter(c, session, tokens)) ?? (await next()))
    .use(jsonOnly)
    .route('/', fileRoutes(FILES))
    .get('/events', (c) => {
      const stream = eventStream(changes, c.env.signal)
      watching ??= watch(studio, changes).finally(() => (watching = undefined))
      return stream
    })
    .get('/decided.csv', (c) => decidedCsv(studio, c.req.query()))
    .get('/records.csv', (c) => recordsCsv(studio, c.req.query()))
    .post('/resolve', async (c) => c.json(await resolve(studio, await jsonIn(c))))
    .post('/replay', async (c) => c.json(await replay(studio, await jsonIn(c))))
    .route('/', pages(studio))
    .notFound((c) => notFound(studio, c))
}

const FILES = filesBelow('', [asset('assets/studio.css', css, 'text/css'), asset('assets/studio.js', script)])

/* What a browser shows, or a form of the page. Other errors may quote candidates. */
function responseTo(error: Error): ErrorResponse {
  if (error instanceof ControlError) return error.response
  const message = isCertifyError(error) ? error.message : 'Something went wrong in the studio.'
  return errorWith('INTERNAL_ERROR', message)
}

const BETWEEN_MS = 2_000

/* Other programs write to the ledger, and it tells nobody: it is asked while a page is open. */
async function watch({ ledger }: Studio, changes: Changes<'ledger'>): Promise<void> {
  let last: string | undefined
  while (changes.streams > 0) {
    const now = await ledger.revision().catch(() => last)
    if (last !== undefined && now !== last) changes.note('ledger')
    last = now
    await pause(BETWEEN_MS, undefined, { ref: false })
  }
}

/* Lets a request in, answers it, or refuses it. */
async function enter(c: Context<SiteEnv>, session: string, tokens: Tokens): Promise<Response | undefined> {
  const { request, access } = c.env
  const host = request.header('host') ?? ''
  if (!isKnownHost(host, access)) refuse('HOST_NOT_ALLOWED', WRONG_HOST)
  /* A link to it may be anywhere: following one is a person's own act. */
  const isFromElsewhere = isFromOtherPage(request) || (c.req.method === 'POST' && !isFromOwnPage(request))
  if (isFromElsewhere) refuse('FOREIGN_ORIGIN', OTHER_PAGE)
  const given = c.req.query('token') ?? ''
  const [token, onUse] = [...tokens].find(([each]) => isSame(given, each)) ?? []
  if (c.req.method === 'GET' && token !== undefined) {
    onUse?.()
    tokens.delete(token)
    return welcome(c, cookieOf(host, session))
  }
  const cookies = (request.header('cookie') ?? '').split(/; */)
  if (!cookies.some((each) => isSame(each, cookieOf(host, session)))) refuse('TOKEN_NEEDED', NO_TOKEN)
  return undefined
}

/** Replaces the token in the address by the cookie. */
function welcome(c: Context<SiteEnv>, cookie: string): Response | Promise<Response> {
  const url = new URL(c.req.url)
  url.searchParams.delete('token')
  /* Two slashes would begin the name of another host. */
  const to = `/${(url.pathname + url.search).replace(/^[\\/]+/, '')}`
  c.header('set-cookie', `${cookie}; HttpOnly; SameSite=Strict; Path=/`)
  /* A browser sends no strict cookie after a redirect that began on another site, such as a terminal in a web page. */
  return c.env.request.header('sec-fetch-site') === 'cross-site' ? c.html(pageTo(to)) : c.redirect(to, 303)
}

/** A page that opens a URL at once. */
export function pageTo(url: string): string {
  const escaped = url.replaceAll(/[&"<>]/g, (character) => `&#${character.charCodeAt(0)};`)
  return `<!doctype html><meta http-equiv="refresh" content="0;url=${escaped}"><title>certify studio</title>`
}

/* Cookies do not know ports: two studios on one machine must not overwrite each other's. */
function cookieOf(host: string, session: string): string {
  return `certify-studio-${/:(\d+)$/.exec(host)?.[1] ?? '80'}=${session}`
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}

const WRONG_HOST = 'The studio answers only to names of this machine, and to the address of --host.'
const OTHER_PAGE = 'This came from a page of another origin, which may not use the studio.'
const NO_TOKEN =
  'Open the address that `certify studio` printed. Each opens the studio once: press Enter in its terminal for another.'
