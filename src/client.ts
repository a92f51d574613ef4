import { type Runtime, ServiceClock, systemClock } from './clock.ts'
import { inputInvalid } from './errors.ts'
import type {
  CertificationInvite,
  CertificationPackageInvite as PackageInvite,
  CertificationPackageTrack as PackageTrack,
} from './generated/schema.ts'
import {
  checkInput,
  type CreateInput,
  createInvite,
  createPackageInvite,
  getTrack,
  type InviteInput,
  listTracks,
  NO_TRACK,
  type Operation,
  type PackageInviteInput,
  readDocument,
  readVariables,
  type TrackFilter,
} from './operations.ts'
import { type ClientOptions, readCallOptions, readCreateOptions, readOptions, type Settings } from './options.ts'
import {
  type ClientInternals,
  type CreateOptions,
  INTERNALS,
  type RecordedClient,
  type RecordedCreate,
} from './internals.ts'
import { type Caller, type CallOptions, call, type SendOptions } from './transport/call.ts'
import { CircuitBreaker } from './transport/breaker.ts'
import type { Permit } from './transport/breaker-state.ts'
import type { TypedDocument } from './transport/graphql.ts'
import type { Provider } from './transport/headers.ts'
import { type SpanContext, traced } from './transport/observe.ts'

/**
 * A client of the service. Each method resolves with plain data in the shape of the specification, or rejects with a
 * {@link CertifyError} that states the outcome of the request. A create is never sent again once it may have been
 * executed.
 *
 * The methods are plain functions: you can detach, wrap and fake them. In an admin session there are no callbacks: an
 * input with a `callbackUrl` is INPUT_INVALID. "Specification" is the service's own description of its API.
 *
 * @example
 * ```ts
 * const ledger = await openLedger('invites.ledger')
 * const client = new CertifyClient({ baseUrl, apiKey: process.env.CERTIFY_API_KEY ?? '', ledger })
 * const invite = await client.invites.create({ quizId, candidate: { email: 'ada@example.com' } }, { reference: 'hire-4711' })
 * ```
 */
export class CertifyClient {
  /** Where requests are sent: `{baseUrl}/api/developer/graphql`. */
  readonly endpoint: string
  /** Lists the certifications on offer. */
  readonly tracks: Tracks
  /** Invites one candidate to one quiz. */
  readonly invites: Invites
  /** Invites one candidate to every skill of a package. */
  readonly packageInvites: PackageInvites
  /**
   * Runs any other document of the API, outside the ledger and the circuit breaker: to record a create is up to you. It
   * resolves with `data` unchecked. A document counts as a create unless it is certainly a query: it begins with `query` or
   * `{`, and does not contain the word `mutation`. A create is sent again only if it was certainly not executed, and its
   * failures have the outcomes of a create.
   *
   * @param document one operation, as a string or as a typed document in string mode; not a parsed one
   * @throws CertifyError as {@link Invites.create}; for a query the outcome is always `not-executed`
   */
  readonly request: <Data = unknown, Variables extends object = Record<string, unknown>>(
    document: string | TypedDocument<Data, Variables>,
    ...rest: RequestArguments<Variables>
  ) => Promise<Data>

  /**
   * @param options the URL of the service and your credentials: `{ baseUrl, apiKey }`, or the headers of your session:
   *   `{ baseUrl, adminSession: { headers } }`
   * @throws CertifyError CONFIG_INVALID, outcome `not-executed`
   */
  constructor(options: ClientOptions)
  /* The second parameter is for tests. It is not public. */
  constructor(options: ClientOptions, runtime: Runtime = systemClock) {
    const settings = readOptions(options)
    const { endpoint, fetch, limits, hooks, ledger, account, allowClockSkew } = settings
    const recording = ledger?.[INTERNALS]
    const service = new ServiceClock(recording?.clock ?? runtime, runtime.elapsed)
    const breaker = recording?.breaker(endpoint, account) ?? new CircuitBreaker(runtime)
    const list: Tracks['list'] = (filter = {}, own) => query(core, listTracks, filter, own)
    /* Field by field: the other settings have the key. */
    const facts = { endpoint, fetch, account, allowClockSkew, limits, hooks }
    const client: RecordedClient = { ...facts, runtime, service, query: list }
    const core: Core = { settings, runtime, service, breaker, recorded: recording?.creates(client) }
    this.endpoint = endpoint
    this.tracks = { list, get: (slug, own) => trackWith(core, slug, own) }
    this.invites = { create: (input, own) => create(core, createInvite, input, own) }
    this.packageInvites = { create: (input, own) => create(core, createPackageInvite, input, own) }
    this.request = (document, ...[variables, own]) => request(core, document, variables, own)
    const internals: ClientInternals = {
      ledger,
      client,
      authentication: settings.authentication,
      breaker,
      admit: (operation, signal) => admitted(core, operation, { signal, deadlineMs: Number.POSITIVE_INFINITY }),
      send: (operation, input, sending, permit) => send(core, operation, input, sending, permit),
    }
    Object.defineProperty(this, INTERNALS, { value: internals })
  }
}

/** Variables are optional if the document needs none. */
export type RequestArguments<Variables extends object> =
  Record<string, never> extends Variables
    ? [variables?: Variables, options?: CallOptions]
    : [variables: Variables, options?: CallOptions]

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
export interface Invites {
  /**
   * Creates one invite. The specification shows no idempotency key, and a second invite is accepted while the first is
   * PENDING. With a `ledger`, the create is recorded before it is sent, and it is not sent if the candidate has an open invite
   * to this quiz, or may have one. Without a ledger, check `outcome` after a failure before you call again. Source:
   * specification 4.2.
   *
   * @throws CertifyError. Its codes, by outcome:
   *
   * - `not-executed`: CONFIG_INVALID, INPUT_INVALID, CREDENTIALS_UNAVAILABLE, UNREACHABLE, UNAUTHENTICATED, FORBIDDEN,
   *   NOT_FOUND, BAD_USER_INPUT, RATE_LIMITED, SERVICE_UNAVAILABLE; REDIRECT_REFUSED with 301, 307 or 308
   * - `not-executed`, from the ledger, with the earlier creates in `prior`: ALREADY_INVITED (see `ifInvited`),
   *   PRIOR_OUTCOME_UNKNOWN (see `ifUnknown`), IN_PROGRESS (call again), REFERENCE_CONFLICT
   * - `not-executed`, from the ledger: WRONG_SERVICE, LEDGER_UNUSABLE, CLOCK_SKEW
   * - `unknown`: CONNECTION_LOST, SERVER_FAULT, RESPONSE_UNREADABLE, RESPONSE_MISMATCHED; any other REDIRECT_REFUSED
   * - `not-executed` before the request was sent, else `unknown`: ABORTED, TIMED_OUT
   * - `not-executed` or `unknown`: API_ERROR
   * - `executed`, or `unknown` if the response is empty or failed inside the result: RESPONSE_UNEXPECTED
   */
  readonly create: (input: InviteInput, options?: CreateOptions) => Promise<CertificationInvite>
}

/** Invites of one candidate to every skill of a package. Scope: CERTIFICATION_INVITE_CREATE. */
export interface PackageInvites {
  /**
   * Creates one invite for every skill of the package, or none at all. With a `ledger`, nothing is sent if the
   * candidate has an open invite to the package or to one of its quizzes, or may have one. Source: specification 4.3.
   * Throws as {@link Invites.create}.
   */
  readonly create: (input: PackageInviteInput, options?: CreateOptions) => Promise<PackageInvite>
}

/* Not private members: with them, the types of two builds of this package would differ, and a fake would need a cast. */
interface Core extends Caller {
  readonly settings: Settings
  readonly breaker: CircuitBreaker
  /** With a ledger. */
  readonly recorded: RecordedCreate | undefined
}

async function create<Input extends CreateInput, Result extends CertificationInvite | PackageInvite>(
  core: Core,
  operation: Operation<Input, Result>,
  given: Input,
  givenOptions: CreateOptions | undefined,
): Promise<Result> {
  const { recorded } = core
  const input = checked(core, operation, given)
  const options = readCreateOptions(operation.name, givenOptions, recorded !== undefined)
  const span: SpanContext = { operation: operation.name, reference: options.reference }
  return traced('create', span, () => {
    const sent = (sending: SendOptions) => send(core, operation, input, { ...sending, span })
    return recorded === undefined ? sent(options) : recorded(operation.name, input, options, sent)
  })
}

/* With a reference, and with a callback URL minted for it. */
async function send<Input extends CreateInput, Result>(
  core: Core,
  operation: Operation<Input, Result>,
  input: Input,
  { reference = crypto.randomUUID(), ...options }: SendOptions,
  given?: Permit,
): Promise<Result> {
  const { breaker, runtime, settings } = core
  const sending = { startedAt: runtime.elapsed(), ...options, reference }
  const permit = given ?? (await admitted(core, operation.name, sending))
  const { mint } = settings
  const variables: Provider<object> | object =
    mint === undefined || input.callbackUrl !== undefined
      ? operation.variables(input)
      : async (...attempt) => operation.variables({ ...input, callbackUrl: await mint(...attempt) })
  return breaker.record(permit, call(operation, variables, sending, core), settings.hooks)
}

/* Waits for the circuit breaker. */
async function admitted(core: Core, operation: string, sending: SendOptions): Promise<Permit | undefined> {
  const { breaker, runtime, settings } = core
  const { limits } = settings
  const {
    signal,
    timeoutMs = limits.timeoutMs,
    deadlineMs = limits.deadlineMs,
    startedAt = runtime.elapsed(),
  } = sending
  const probeMs = limits.timeoutMs
  const probe = (until: AbortSignal) =>
    call(listTracks, NO_TRACK, { signal: until, deadlineMs: probeMs, retry: false }, core)
  return breaker.admit({ operation, runtime, endsAt: startedAt + deadlineMs, timeoutMs, signal, probe, probeMs })
}

async function query<Input>(
  core: Core,
  operation: Operation<Input, readonly PackageTrack[]>,
  given: Input,
  givenOptions: CallOptions | undefined,
): Promise<readonly PackageTrack[]> {
  const variables = operation.variables(checked(core, operation, given))
  const options = readCallOptions(operation.name, givenOptions)
  const tracks = await call(operation, variables, options, core)
  const { endpoint, ledger } = core.settings
  ledger?.[INTERNALS].learnTitles(endpoint, tracks)
  return tracks
}

async function trackWith(core: Core, slug: string, options: CallOptions | undefined): Promise<PackageTrack | null> {
  const tracks = await query(core, getTrack, { slug }, options)
  return tracks.find((track) => track.slug === slug) ?? null
}

async function request<Data>(
  core: Core,
  document: string | TypedDocument<Data, never>,
  variables: object | undefined,
  givenOptions: CallOptions | undefined,
): Promise<Data> {
  const operation = readDocument(document)
  const options = readCallOptions(operation.name, givenOptions)
  return call(operation, readVariables(variables), options, core)
}

/** @throws CertifyError INPUT_INVALID, outcome `not-executed` */
function checked<Input>({ settings }: Core, operation: Operation<Input, unknown>, given: unknown): Input {
  const { value, issues } = checkInput(operation, given, settings.authentication)
  if (issues !== undefined) throw inputInvalid(operation.name, issues)
  return value
}
