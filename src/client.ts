import type { CallOptions, ClientLimits, CreateOptions, SendOptions } from './call-options.ts'
import { type ClientParts, PARTS } from './client-parts.ts'
import { readDocument, readVariables, type TypedDocument } from './document.ts'
import type {
  CertificationInvite,
  CertificationPackageInvite as PackageInvite,
  CertificationPackageTrack as PackageTrack,
} from './generated/schema.ts'
import { createInvite } from './operations/create-invite.ts'
import { createPackageInvite } from './operations/create-package-invite.ts'
import type { InviteInput, PackageInviteInput, TrackFilter } from './operations/inputs.ts'
import { getTrack, listTracks } from './operations/list-tracks.ts'
import type { Operation } from './operations/operation.ts'
import {
  type AdminSessionOptions,
  type ApiKeyOptions,
  type ClientOptions,
  readCallOptions,
  readCreateOptions,
  readOptions,
} from './options.ts'
import { inputInvalid } from './refusals.ts'
import { call } from './transport/call.ts'
import { type Runtime, systemClock } from './clock.ts'
import { type Authentication, type Schema, validate } from './validation.ts'

/**
 * A client of the service. Each method resolves with plain data in the shape of the specification, or rejects with a
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
 * const ledger = await openLedger('invites.ledger')
 * const client = new CertifyClient({ baseUrl, apiKey: process.env.CERTIFY_API_KEY ?? '', ledger })
 * const invite = await client.invites.create({ quizId, candidate: { email: 'ada@example.com' } }, { reference: 'hire-4711' })
 * ```
 */
export interface CertifyClient<CallbackUrl extends string = string> {
  /** Where requests are sent: `{baseUrl}/api/developer/graphql`. */
  readonly endpoint: string
  /** The limits of calls that set none of their own. */
  readonly limits: ClientLimits
  /** Lists the certifications on offer. */
  readonly tracks: Tracks
  /** Invites one candidate to one quiz. */
  readonly invites: Invites<CallbackUrl>
  /** Invites one candidate to every skill of a package. */
  readonly packageInvites: PackageInvites<CallbackUrl>
  /**
   * Runs any other document of the API with the same protection. It resolves with `data` unchecked. A document counts
   * as a create unless it is certainly a query: it begins with `query` or `{`, and does not contain the word
   * `mutation`. A create is sent again only if it was certainly not executed, and its failures have the outcomes of a
   * create.
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
   * PENDING. With a `ledger`, the create is recorded before it is sent, and it is not sent if the candidate has an open invite
   * to this quiz, or may have one. Without a ledger, check `outcome` after a failure before you call again. Source:
   * specification 4.2.
   *
   * @throws CertifyError. Its codes, by outcome:
   *
   * - `not-executed`: CONFIG_INVALID, INPUT_INVALID, CREDENTIALS_UNAVAILABLE, UNREACHABLE, UNAUTHENTICATED, FORBIDDEN,
   *   NOT_FOUND, BAD_USER_INPUT, RATE_LIMITED; REDIRECT_REFUSED with 301, 307 or 308
   * - `not-executed`, from the ledger, with the earlier creates in `prior`: ALREADY_INVITED (see `ifInvited`),
   *   PRIOR_OUTCOME_UNKNOWN (see `ifUnknown`), IN_PROGRESS (call again), REFERENCE_CONFLICT
   * - `not-executed`, from the ledger: LEDGER_UNUSABLE, CLOCK_SKEW
   * - `unknown`: CONNECTION_LOST, SERVER_FAULT, RESPONSE_UNREADABLE, RESPONSE_MISMATCHED; any other REDIRECT_REFUSED
   * - `not-executed` before the request was sent, else `unknown`: ABORTED, TIMED_OUT
   * - `not-executed` or `unknown`: API_ERROR
   * - `executed`, or `unknown` if the response is empty or failed inside the result: RESPONSE_UNEXPECTED
   */
  readonly create: (input: InviteInput<CallbackUrl>, options?: CreateOptions) => Promise<CertificationInvite>
}

/** Invites of one candidate to every skill of a package. Scope: CERTIFICATION_INVITE_CREATE. */
export interface PackageInvites<CallbackUrl extends string = string> {
  /**
   * Creates one invite for every skill of the package, or none at all. With a `ledger`, nothing is sent if the
   * candidate has an open invite to the package or to one of its quizzes, or may have one. Source: specification 4.3.
   * Throws as {@link Invites.create}.
   */
  readonly create: (input: PackageInviteInput<CallbackUrl>, options?: CreateOptions) => Promise<PackageInvite>
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
  constructor(clientOptions: ClientOptions, runtime: Runtime = systemClock) {
    const settings = readOptions(clientOptions)
    const { endpoint, limits, hooks, callbacks, ledger, ledgerSettings } = settings

    const checked = <Input>(
      { name, input }: { readonly name: string; readonly input: (authentication: Authentication) => Schema<Input> },
      given: unknown,
    ): Input => {
      const { value, issues } = validate(input(settings.authentication), given)
      if (issues !== undefined) throw inputInvalid(name, issues)
      return value
    }
    const run = async <Input, Variables extends object, Data, Field extends keyof Data & string>(
      operation: Operation<Input, Variables, Data, Field>,
      input: Input,
      options: SendOptions,
    ) => {
      const onResponse: SendOptions['onResponse'] = (header) => {
        guard?.sawResponse(header)
        options.onResponse?.(header)
      }
      const own = { ...options, onResponse }
      return (await call(operation, operation.variables(input), own, settings, runtime))[operation.field]
    }

    const query = async <Input, Variables extends object, Data, Field extends keyof Data & string>(
      operation: Operation<Input, Variables, Data, Field>,
      given: unknown,
      options: CallOptions | undefined,
    ) => run(operation, checked(operation, given), readCallOptions(operation.name, options))

    /* A create as it is sent: with a reference, and with a callback URL minted for it. */
    const sender =
      <
        Input extends { readonly callbackUrl?: string | undefined },
        Variables extends object,
        Data,
        Field extends keyof Data & string,
      >(
        operation: Operation<Input, Variables, Data, Field>,
      ) =>
      async (input: Input, options: SendOptions): Promise<Data[Field]> => {
        const { reference = crypto.randomUUID() } = options
        const callbackUrl = input.callbackUrl ?? (await callbacks?.mint(reference))
        return run(operation, { ...input, callbackUrl }, { ...options, reference })
      }
    const sendInvite = sender(createInvite)
    const sendPackageInvite = sender(createPackageInvite)

    this.endpoint = endpoint
    this.limits = limits
    this.tracks = {
      list: (filter, options) => query(listTracks, filter ?? {}, options),
      async get(slug, options) {
        const tracks = await query(getTrack, { slug }, options)
        return tracks.find((track) => track.slug === slug) ?? null
      },
    }
    const guard = ledger?.guard({
      endpoint,
      fetch: clientOptions.fetch,
      limits,
      hooks,
      runtime,
      ...ledgerSettings,
      listTracks: this.tracks.list,
    })
    const creating =
      <Input extends InviteInput | PackageInviteInput, Result extends CertificationInvite | PackageInvite>(
        operation: { readonly name: string; readonly input: (authentication: Authentication) => Schema<Input> },
        sendInput: (input: Input, options: SendOptions) => Promise<Result>,
      ) =>
      async (given: unknown, givenOptions: CreateOptions | undefined): Promise<Result> => {
        const input = checked(operation, given)
        const options = readCreateOptions(operation.name, givenOptions, guard !== undefined)
        const send = (sending: SendOptions) => sendInput(input, sending)
        return guard === undefined ? send(options) : guard.create({ operation: operation.name, input, options, send })
      }
    this.invites = { create: creating(createInvite, sendInvite) }
    this.packageInvites = { create: creating(createPackageInvite, sendPackageInvite) }
    this.request = async (document, ...[variables, options]) => {
      const operation = { name: 'request', ...readDocument(document) }
      const own = readCallOptions(operation.name, options)
      return call(operation, readVariables<typeof variables & object>(variables), own, settings, runtime)
    }
    Object.defineProperty(this, PARTS, {
      value: { guard, authentication: settings.authentication, sendInvite, sendPackageInvite } satisfies ClientParts,
    })
  }
}
