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
 * A client of the service. Each method resolves with plain data in the shape of the specification. Or it rejects with a
 * {@link CertifyError} that states the outcome of the request. A create is never sent again once it may have been
 * executed.
 *
 * The methods are plain functions: you can detach, wrap and fake them. A function that sets no `callbackUrl` should
 * take an {@link AdminSessionClient}: every client is one. "Specification" is the service's own description of its API.
 *
 * @typeParam CallbackUrl `string` with an API key, `never` in an admin session, which has no callbacks
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
  /** The limits of calls that set none of their own. */
  readonly limits: ClientLimits
  readonly tracks: Tracks
  readonly invites: Invites<CallbackUrl>
  readonly packageInvites: PackageInvites<CallbackUrl>
  /**
   * Runs any other document of the API with the same protection. It resolves with `data` unchecked. A document that
   * contains a mutation counts as a create. It is sent again only if it was certainly not executed, and its failures
   * have the outcomes of a create.
   *
   * @param document one operation, as a string or as a typed document in string mode; not a parsed one
   * @throws CertifyError as {@link Invites.create}; for a query the outcome is always `not-executed`
   */
  readonly request: <Data = unknown, Variables extends object = Record<string, unknown>>(
    document: string | TypedDocument<Data, Variables>,
    ...rest: RequestArguments<Variables>
  ) => Promise<Data>
}

/** Variables are optional if the document needs none. */
export type RequestArguments<Variables extends object> =
  Record<string, never> extends Variables
    ? [variables?: Variables, options?: CallOptions]
    : [variables: Variables, options?: CallOptions]

/** A client in an admin session: without callbacks. */
export type AdminSessionClient = CertifyClient<never>

/** Package tracks: the certifications on offer. Scope: CERTIFICATION_PACKAGE_READ. */
export interface Tracks {
  /**
   * Lists the tracks with their deliverable packages. The list is empty if nothing matches. Source: specification 4.1.
   *
   * @throws CertifyError with any {@link CertifyErrorCode}; the outcome is always `not-executed`
   */
  readonly list: (filter?: TrackFilter, options?: CallOptions) => Promise<readonly PackageTrack[]>
  /** Returns one track by its slug, or `null` if there is none. Source: specification 4.1. Throws as {@link list}. */
  readonly get: (slug: string, options?: CallOptions) => Promise<PackageTrack | null>
}

/** Invites of one candidate to one quiz. Scope: CERTIFICATION_INVITE_CREATE. */
export interface Invites<CallbackUrl extends string = string> {
  /**
   * Creates one invite. The specification shows no idempotency key, and a second invite is accepted while the first is
   * PENDING. After a failure, check `outcome` before you call again. Source: specification 4.2.
   *
   * @throws CertifyError. Its codes, by outcome:
   *
   * - `not-executed`: CONFIG_INVALID, INPUT_INVALID, CREDENTIALS_UNAVAILABLE, UNREACHABLE, UNAUTHENTICATED, FORBIDDEN,
   *   NOT_FOUND, BAD_USER_INPUT, RATE_LIMITED; REDIRECT_REFUSED with 301, 307 or 308
   * - `unknown`: CONNECTION_LOST, SERVER_FAULT, RESPONSE_UNREADABLE, RESPONSE_MISMATCHED; any other REDIRECT_REFUSED
   * - `not-executed` before the request was sent, else `unknown`: ABORTED, TIMED_OUT
   * - `not-executed` or `unknown`: API_ERROR
   * - `executed`, or `unknown` if the response is empty or failed inside the result: RESPONSE_UNEXPECTED
   */
  readonly create: (input: InviteInput<CallbackUrl>, options?: CallOptions) => Promise<CertificationInvite>
}

/** Invites of one candidate to every skill of a package. Scope: CERTIFICATION_INVITE_CREATE. */
export interface PackageInvites<CallbackUrl extends string = string> {
  /**
   * Creates one invite for every skill of the package, or none. Source: specification 4.3. Throws as
   * {@link Invites.create}.
   */
  readonly create: (input: PackageInviteInput<CallbackUrl>, options?: CallOptions) => Promise<PackageInvite>
}

/** The constructor of clients. */
export interface CertifyClientConstructor {
  /**
   * @param options the URL of the service and your credentials: `{ baseUrl, apiKey }`
   * @throws CertifyError CONFIG_INVALID, outcome `not-executed`
   */
  new (options: ApiKeyOptions): CertifyClient
  /**
   * @param options the URL of the service and the headers of your session: `{ baseUrl, adminSession: { headers } }`
   * @throws CertifyError CONFIG_INVALID, outcome `not-executed`
   */
  new (options: AdminSessionOptions): AdminSessionClient
  /** For options of either kind. Inputs may have only what both kinds allow. */
  new (options: ClientOptions): AdminSessionClient
}

export const CertifyClient: CertifyClientConstructor = class implements CertifyClient {
  readonly endpoint: string
  readonly limits: ClientLimits
  readonly tracks: Tracks
  readonly invites: Invites
  readonly packageInvites: PackageInvites
  readonly request: CertifyClient['request']

  /* The second parameter is for tests. It is not public. */
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
