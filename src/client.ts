import { readDocument, readVariables, type TypedDocument } from './document.ts'
import { createInvite, type InviteInput } from './operations/create-invite.ts'
import { createPackageInvite, type PackageInvite, type PackageInviteInput } from './operations/create-package-invite.ts'
import type { CertificationInvite } from './operations/invite-fields.ts'
import { getTrack, listTracks, type PackageTrack, type TrackFilter } from './operations/list-tracks.ts'
import type { Operation } from './operations/operation.ts'
import {
  type AdminSessionOptions,
  type ApiKeyOptions,
  type CallOptions,
  type ClientLimits,
  type ClientOptions,
  readOptions,
} from './options.ts'
import { inputInvalid } from './refusals.ts'
import { call } from './transport/call.ts'
import { type Runtime, systemRuntime } from './transport/runtime.ts'
import { validate } from './validation.ts'

/**
 * A client of the service. Each method resolves to plain data in the shape of the specification, or rejects with a
 * {@link CertifyError} that says what became of the request. A create is never sent again once it may have happened.
 *
 * The methods are plain functions: they may be taken off, wrapped and faked. A function that sets no `callbackUrl` should
 * take an {@link AdminSessionClient}: every client is one. "Specification" is the service's own description of its API.
 *
 * @typeParam CallbackUrl `string` with an API key, `never` in an admin session, which knows no callbacks
 *
 * @example
 * ```ts
 * const client = new CertifyClient({ baseUrl: 'https://certify.example.com', apiKey: () => secrets.get('certify') })
 * const [track] = await client.tracks.list({ search: 'react' })
 * const invite = await client.invites.create({ quizId, candidate: { name: 'Ada Byron', email: 'ada@example.com' } })
 * ```
 */
export interface CertifyClient<CallbackUrl extends string = string> {
  /** Where requests are sent: `{baseUrl}/api/developer/graphql`. */
  readonly endpoint: string
  /** What its calls are limited by where a call sets no limits of its own. */
  readonly limits: ClientLimits
  readonly tracks: Tracks
  readonly invites: Invites<CallbackUrl>
  readonly packageInvites: PackageInvites<CallbackUrl>
  /**
   * Runs any other document of the API under the same guards; its `data` comes back as it came, unchecked. A document
   * that holds a mutation counts as a create: it is repeated only when nothing can have happened, and its failures carry
   * the outcomes of a create.
   *
   * @param document one operation, as a string or as a typed document in string mode; not a parsed one
   * @throws CertifyError as {@link Invites.create}; for a query the outcome is always `not-executed`
   */
  readonly request: <Data = unknown, Variables extends object = Record<string, unknown>>(
    document: string | TypedDocument<Data, Variables>,
    ...rest: RequestArguments<Variables>
  ) => Promise<Data>
}

/** Variables may be left out where the document needs none. */
export type RequestArguments<Variables extends object> =
  Record<string, never> extends Variables
    ? [variables?: Variables, options?: CallOptions]
    : [variables: Variables, options?: CallOptions]

/** A client in an admin session: without callbacks. */
export type AdminSessionClient = CertifyClient<never>

/** Package tracks: what there is to be certified in. Scope: CERTIFICATION_PACKAGE_READ. */
export interface Tracks {
  /**
   * Lists the tracks with their deliverable packages; an empty list where nothing matches. Source: specification 4.1.
   *
   * @throws CertifyError with any {@link CertifyErrorCode}; the outcome is always `not-executed`
   */
  readonly list: (filter?: TrackFilter, options?: CallOptions) => Promise<readonly PackageTrack[]>
  /** Gets one track by its slug; `null` where there is none. Source: specification 4.1. Throws as {@link list}. */
  readonly get: (slug: string, options?: CallOptions) => Promise<PackageTrack | null>
}

/** Invites of one candidate to one quiz. Scope: CERTIFICATION_INVITE_CREATE. */
export interface Invites<CallbackUrl extends string = string> {
  /**
   * Creates one invite. The service knows no idempotency key and does not refuse a second invite while the first is
   * PENDING: after a failure, look at `outcome` before you call again. Source: specification 4.2.
   *
   * @throws CertifyError with the outcome `not-executed`: CONFIG_INVALID, INPUT_INVALID, UNREACHABLE, UNAUTHENTICATED,
   *   FORBIDDEN, NOT_FOUND, BAD_USER_INPUT, RATE_LIMITED, REDIRECT_REFUSED (`unknown` but for 301, 307, 308); `unknown`:
   *   CONNECTION_LOST, SERVER_FAULT, RESPONSE_UNREADABLE, RESPONSE_MISMATCHED; `not-executed` before it was sent, else
   *   `unknown`: ABORTED, TIMED_OUT; `executed`, or `unknown` where the answer is empty or failed inside the result:
   *   RESPONSE_UNEXPECTED; either of the first two: API_ERROR
   */
  readonly create: (input: InviteInput<CallbackUrl>, options?: CallOptions) => Promise<CertificationInvite>
}

/** Invites of one candidate to every skill of a package. Scope: CERTIFICATION_INVITE_CREATE. */
export interface PackageInvites<CallbackUrl extends string = string> {
  /**
   * Creates one invite for every skill of the package, or none at all. Source: specification 4.3. Throws as
   * {@link Invites.create}.
   */
  readonly create: (input: PackageInviteInput<CallbackUrl>, options?: CallOptions) => Promise<PackageInvite>
}

/** Makes clients. */
export interface CertifyClientConstructor {
  /**
   * @param options where the service is and how to prove who you are: `{ baseUrl, apiKey }`
   * @throws CertifyError CONFIG_INVALID, outcome `not-executed`
   */
  new (options: ApiKeyOptions): CertifyClient
  /**
   * @param options where the service is and the headers of your session: `{ baseUrl, adminSession: { headers } }`
   * @throws CertifyError CONFIG_INVALID, outcome `not-executed`
   */
  new (options: AdminSessionOptions): AdminSessionClient
  /** For options that may be either: the input is what both allow. */
  new (options: ClientOptions): AdminSessionClient
}

export const CertifyClient: CertifyClientConstructor = class implements CertifyClient {
  readonly endpoint: string
  readonly limits: ClientLimits
  readonly tracks: Tracks
  readonly invites: Invites
  readonly packageInvites: PackageInvites
  readonly request: CertifyClient['request']

  /* The second parameter is for tests and no part of the public surface. */
  constructor(clientOptions: ClientOptions, runtime: Runtime = systemRuntime) {
    const settings = readOptions(clientOptions)
    const run = async <Input, Variables extends object, Data, Field extends keyof Data & string>(
      operation: Operation<Input, Variables, Data, Field>,
      given: unknown,
      options: CallOptions | undefined,
    ): Promise<Data[Field]> => {
      const { value: input, issues } = validate(operation.input(settings.authentication), given)
      if (issues !== undefined) throw inputInvalid(operation.name, issues)
      return (await call(operation, operation.variables(input), options, settings, runtime))[operation.field]
    }
    this.endpoint = settings.endpoint
    this.limits = settings.limits
    this.tracks = {
      list: (filter, options) => run(listTracks, filter ?? {}, options),
      async get(slug, options) {
        const tracks = await run(getTrack, { slug }, options)
        return tracks.find((track) => track.slug === slug) ?? null
      },
    }
    this.invites = { create: (input, options) => run(createInvite, input, options) }
    this.packageInvites = { create: (input, options) => run(createPackageInvite, input, options) }
    this.request = async (document, ...[variables, options]) => {
      const operation = { name: 'request', ...readDocument(document) }
      return call(operation, readVariables<typeof variables & object>(variables), options, settings, runtime)
    }
  }
}
