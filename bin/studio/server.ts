import { randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isFromOtherPage } from '../../mock-server/control/access-check.ts'
import { KIT_ASSETS, asset } from '../../mock-server/pages/kit/assets.ts'
import { PAGE_HEADERS } from '../../mock-server/pages/kit/document.ts'
import { isKnownHost } from '../../mock-server/sandbox/router.ts'
import { isCertifyError } from '../../src/index.ts'
import css from './assets/studio.css?raw'
import script from './assets/studio.js?raw'
import { decide } from './decide.ts'
import { decidedCsv } from './decided.ts'
import { streamChanges } from './changes.ts'
import { csvOf } from './records.ts'
import { HttpError, type Studio } from './studio.ts'
import { viewOf } from './views.ts'

/**
 * Serves the pages of a ledger until it is closed. Every request needs its cookie. A URL of it has a token that is good for one
 * request, which gets the cookie: whoever sees the URL later, in a history or a log, has nothing.
 */
export async function startStudio(
  studio: Studio,
  { port, host }: { readonly port: number; readonly host?: string | undefined },
) {
  const session = secret()
  const tokens = new Map<string, () => void>()
  const closing = new AbortController()
  const isAnyAddress = host === '0.0.0.0' || host === '::'
  const hosts = isAnyAddress ? null : host === undefined ? [] : [host.includes(':') ? `[${host}]` : host]
  const server = createServer((request, response) => {
    for (const [name, value] of PAGE_HEADERS) response.setHeader(name, value)
    answer({ studio, session, tokens, hosts, closing: closing.signal }, request, response).catch((error: unknown) =>
      fail(error, request, response),
    )
  })
  server.listen(port, host ?? '127.0.0.1')
  await once(server, 'listening')
  server.on('error', () => {})
  const { port: bound } = server.address() as AddressInfo
  const name = host === undefined || isAnyAddress ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  return {
    /** A new URL. `onUse` is called by its first request. */
    newUrl(onUse = () => {}) {
      const token = secret()
      tokens.set(token, onUse)
      return `http://${name}:${bound}/?token=${token}`
    },
    close: async () => {
      closing.abort()
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

interface Serving {
  readonly studio: Studio
  /** What the cookie has. */
  readonly session: string
  /** Of the URLs that were not used yet. */
  readonly tokens: Map<string, () => void>
  readonly hosts: readonly string[] | null
  readonly closing: AbortSignal
}

const secret = () => randomBytes(32).toString('base64url')

async function answer(
  { studio, session, tokens, hosts, closing }: Serving,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const { headers, method = 'GET' } = request
  const url = new URL(`http://studio${request.url}`)
  const header = (name: string) => request.headersDistinct[name]?.join(', ') ?? null
  const isPost = method === 'POST'
  if (!isKnownHost(headers.host ?? '', { hosts, control: true, token: null })) throw new HttpError(403, WRONG_HOST)
  /* A link to it may be anywhere: following one is a person's own act. */
  if (isFromOtherPage({ header }) || (isPost && !isFromOwnPage(headers))) throw new HttpError(403, OTHER_PAGE)
  const given = url.searchParams.get('token')
  const token = given === null ? undefined : [...tokens.keys()].find((each) => isSame(given, each))
  if (method === 'GET' && token !== undefined) {
    tokens.get(token)?.()
    tokens.delete(token)
    return welcome(request, response, url, session)
  }
  if (!(headers.cookie ?? '').split(/; */).some((each) => isSame(each, cookieOf(headers, session))))
    throw new HttpError(401, NO_TOKEN)

  const file = FILES.get(url.pathname)
  if (isPost) {
    if (!/^application\/json\b/i.test(headers['content-type'] ?? ''))
      throw new HttpError(415, 'Content-Type must be application/json.')
    return send(
      response,
      200,
      'application/json',
      JSON.stringify(await decide(studio, url.pathname, await bodyOf(request))),
    )
  }
  if (method !== 'GET' && method !== 'HEAD') throw new HttpError(405, 'It answers GET and POST.')
  if (file !== undefined) return send(response, 200, file.type, file.text)
  if (url.pathname === '/events') return streamChanges(studio, response, closing)
  if (url.pathname === '/decided.csv') return decidedCsv(studio, Object.fromEntries(url.searchParams), response)
  if (url.pathname === '/records.csv') return csvOf(studio, Object.fromEntries(url.searchParams), response)
  const { status, page } = await viewOf(studio, url)
  return send(response, status, 'text/html', page)
}

/** Replaces the token in the address by the cookie. */
function welcome({ headers }: IncomingMessage, response: ServerResponse, url: URL, session: string): void {
  url.searchParams.delete('token')
  /* Two slashes would begin the name of another host. */
  const to = `/${(url.pathname + url.search).replace(/^[\\/]+/, '')}`
  response.setHeader('set-cookie', `${cookieOf(headers, session)}; HttpOnly; SameSite=Strict; Path=/`)
  /* A browser sends no strict cookie after a redirect that began on another site, such as a terminal in a web page. */
  if (headers['sec-fetch-site'] !== 'cross-site') response.writeHead(303, { location: to }).end()
  else send(response, 200, 'text/html', pageTo(to))
}

/** A page that opens a URL at once. */
export function pageTo(url: string): string {
  return `<!doctype html><meta http-equiv="refresh" content="0;url=${escaped(url)}"><title>certify studio</title>`
}

const escaped = (path: string) => path.replaceAll(/[&"<>]/g, (character) => `&#${character.charCodeAt(0)};`)

/* Cookies do not know ports: two studios on one machine must not overwrite each other's. */
function cookieOf({ host = '' }: IncomingMessage['headers'], session: string): string {
  return `certify-studio-${/:(\d+)$/.exec(host)?.[1] ?? '80'}=${session}`
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/* Browsers send the origin with every POST; `isFromOtherPage` has compared it. */
function isFromOwnPage(headers: IncomingMessage['headers']): boolean {
  return headers.origin !== undefined || headers['sec-fetch-site'] === 'same-origin'
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let body = ''
  for await (const chunk of request.setEncoding('utf8')) {
    body += String(chunk)
    if (body.length > MAX_CHARACTERS) throw new HttpError(413, 'The request body is too large.')
  }
  try {
    return JSON.parse(body)
  } catch {
    throw new HttpError(400, 'The body is not JSON.')
  }
}

const MAX_CHARACTERS = 100_000

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'content-type': /charset/.test(type) ? type : `${type}; charset=utf-8` }).end(body)
}

/* What a browser shows, or a form of the page. Other errors may quote candidates. */
function fail(error: unknown, request: IncomingMessage, response: ServerResponse): void {
  const isKnown = error instanceof HttpError
  const message = isKnown || isCertifyError(error) ? error.message : 'Something went wrong in the studio.'
  if (response.headersSent) return void response.destroy()
  const status = isKnown ? error.status : 500
  if (request.method === 'POST') send(response, status, 'application/json', JSON.stringify({ error: { message } }))
  else send(response, status, 'text/plain', `${message}\n`)
}

const WRONG_HOST = 'The studio answers only to names of this machine, and to the address of --host.'
const OTHER_PAGE = 'This came from a page of another origin, which may not use the studio.'
const NO_TOKEN =
  'Open the address that `certify studio` printed. Each opens the studio once: press Enter in its terminal for another.'

const FILES = new Map(
  [...KIT_ASSETS, asset('assets/studio.css', css, 'text/css'), asset('assets/studio.js', script)].map(
    ([name, file]) => [`/${name}`, file],
  ),
)
