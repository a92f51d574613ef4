import type { Context, Next } from 'hono'
import type { Hono } from 'hono/tiny'
import { MAX_BODY_BYTES } from '../contract/limits.ts'
import type { SiteRequest } from '../sandbox/router.ts'
import { DEEPEST_WORLD, isDeeper } from '../world/problems.ts'
import { refuse } from './control-errors.ts'

/* What every site on a person's own machine needs, whatever its pages show. `standalone.ts` serves it. */

/** What the routes of a site know about a request. */
export interface SiteEnv {
  /** With the path in `base`, without a slash at the end. */
  Bindings: SiteRequest & { readonly prefix: string }
}

/** Sends each request through these routes, which decide who may have what. */
export function siteOf(routes: Hono<SiteEnv>): (request: SiteRequest) => Promise<Response> {
  return async (siteRequest) => {
    const { method, target } = siteRequest.request
    const headers = { 'content-type': siteRequest.request.header('content-type') ?? '' }
    const prefix = new URL(siteRequest.base).pathname.replace(/\/$/, '')
    const response = await routes.fetch(new Request(`http://site${target}`, { method, headers }), {
      ...siteRequest,
      prefix,
    })
    for (const [name, value] of SECURITY_HEADERS) response.headers.set(name, value)
    return response
  }
}

/* No other page may read a response or show it in a frame, and it loads nothing from elsewhere. */
const SECURITY_HEADERS = Object.entries({
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
})

/** Refuses any other type: a page of another origin cannot send JSON without a preflight. */
export async function jsonOnly(c: Context<SiteEnv>, next: Next): Promise<void> {
  const { method } = c.req
  if (WRITES.has(method) && !/^application\/json\s*(;|$)/i.test(c.req.header('content-type') ?? '')) {
    refuse('JSON_NEEDED', `Send ${method} with content-type: application/json.`)
  }
  await next()
}

const WRITES: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])

/** The JSON object in the body of a request; an empty one if there is no body. `hint` says what to send. */
export async function jsonIn(c: Context<SiteEnv>, maxBytes = MAX_BODY_BYTES, hint = ''): Promise<JsonObject> {
  const { body: text } = await c.env.readBody(maxBytes)
  if (text === null) return refuse('UNREADABLE', 'The body is too large, or not UTF-8.')
  if (text === '') return {}
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    // The parser's message may quote the body.
    return refuse('BAD_REQUEST', `The body is not JSON.${hint}`)
  }
  if (isDeeper(body, DEEPEST_WORLD)) {
    return refuse('BAD_REQUEST', `The body is nested more than ${DEEPEST_WORLD} levels deep.`)
  }
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
  return isObject ? (body as JsonObject) : refuse('BAD_REQUEST', 'The body must be a JSON object.')
}

export type JsonObject = Readonly<Record<string, unknown>>
