import { type CallOptions, type CertifyClient, type CertifyError, type Fetch, isCertifyError } from '../../src/index.ts'
import type { Connection } from '../config/connection.ts'
import type { Context } from '../context.ts'
import { isJsonObject } from '../parsing.ts'

/** What a service did with a question. It quotes nothing of the response but a code. */
export interface Answer {
  readonly status: number
  /** The `data` of a GraphQL result; `undefined` if it has none, or the response is no such result. */
  readonly data: unknown
  /** The first error of a GraphQL result. */
  readonly error: ErrorSeen | undefined
  /** Whether it is a GraphQL result. */
  readonly isResult: boolean
  /** What the client made of it; `undefined` if it took it for a success. */
  readonly failure: CertifyError | undefined
}

export interface ErrorSeen {
  readonly code: string | null
  readonly place: 'extensions' | 'top-level' | 'none'
  /** To compare, not to show: it may quote the request. */
  readonly message: unknown
}

/** Asks for the tracks, with other credentials if there are any. */
export function askForTracks(context: Context, trackSlug?: string, connection?: Connection): Promise<Answer> {
  const filter = trackSlug === undefined ? {} : { trackSlug }
  return ask(context, connection, (client, options) => client.tracks.list(filter, options))
}

/**
 * Sends a create that the specification refuses: its quiz does not exist. Should a service execute it, it e-mails nobody:
 * the address is of a domain that cannot exist, and no e-mail is wanted.
 */
export function askForRefusal(context: Context, connection?: Connection): Promise<Answer> {
  return ask(context, connection, (client, options) => client.invites.create(INPUT, options))
}

/** The same with invalid input, which the client itself refuses: the document is sent as it is. */
export function askForInvalid(context: Context, invalid: object): Promise<Answer> {
  const input = { ...INPUT, ...invalid }
  return ask(context, undefined, (client, options) => client.request(CREATE, { input }, options))
}

const INPUT = {
  quizId: 'certify-mock-learn-no-such-quiz',
  candidate: { name: 'Nobody', email: 'nobody@certify-mock-learn.invalid' },
  sendInviteEmail: false,
}

/** The key of nobody. */
export const NO_SUCH_KEY = 'certify-mock-learn-no-such-key'
/** The slug of no track. */
export const NO_SUCH_TRACK = 'certify-mock-learn-no-such-track'

/** Without the link: nobody needs it. */
const CREATE = `mutation ($input: DeveloperCreateCertificationInviteInput!) {
  developerCreateCertificationInvite(input: $input) { inviteId }
}`

/** Sends what a client sends, and keeps the response. @throws CertifyError if there was none */
async function ask(
  context: Context,
  connection: Connection | undefined,
  send: (client: CertifyClient, options: CallOptions) => Promise<unknown>,
): Promise<Answer> {
  let response: { readonly status: number; readonly text: string } | undefined
  const around = (fetch: Fetch): Fetch => {
    return async (url, init) => {
      const received = await fetch(url, init)
      const bytes = await bytesOf(received.body)
      response = { status: received.status, text: new TextDecoder().decode(bytes) }
      const { status, ok, headers } = received
      return { status, ok, headers, body: [bytes] }
    }
  }
  const client = await context.client('read', { around, ...(connection && { connection }) })
  const failure = await send(client, { signal: context.io.interruption }).then(
    () => undefined,
    (error: unknown) => {
      if (!isCertifyError(error) || response === undefined) throw error
      return error
    },
  )
  return answerOf(response ?? { status: 0, text: '' }, failure)
}

/** The client reads no more than this of a listing. */
const MAX_BYTES = 16 * 1024 * 1024

async function bytesOf(body: unknown): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    chunks.push(chunk)
    size += chunk.byteLength
    if (size > MAX_BYTES) break
  }
  return Buffer.concat(chunks)
}

function answerOf(
  { status, text }: { readonly status: number; readonly text: string },
  failure?: CertifyError,
): Answer {
  const result = parsed(text)
  const errors = Array.isArray(result['errors']) ? (result['errors'] as unknown[]) : []
  const isResult = errors.length > 0 || 'data' in result
  return { status, data: result['data'], error: errors.length > 0 ? errorIn(errors[0]) : undefined, isResult, failure }
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : {}
  } catch {
    return {}
  }
}

function errorIn(error: unknown): ErrorSeen {
  const { extensions, code, message }: { extensions?: unknown; code?: unknown; message?: unknown } = Object(error)
  const inside: unknown = isJsonObject(extensions) ? extensions['code'] : undefined
  if (typeof inside === 'string') return { code: inside, place: 'extensions', message }
  if (typeof code === 'string') return { code, place: 'top-level', message }
  return { code: null, place: 'none', message }
}
