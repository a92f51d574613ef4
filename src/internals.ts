import type { Clock, Runtime, ServiceClock } from './clock.ts'
import type {
  CertificationInvite,
  CertificationPackageInvite as PackageInvite,
  CertificationPackageTrack as PackageTrack,
} from './generated/schema.ts'
import type { Authentication, CreateInput, Operation, TrackFilter } from './operations.ts'
import type { CircuitBreaker } from './transport/breaker.ts'
import type { Permit } from './transport/breaker-state.ts'
import type { CallOptions, ClientLimits, SendOptions } from './transport/call.ts'
import type { Hooks } from './transport/observe.ts'

/**
 * The options of a create.
 *
 * With a ledger, `reference` is the idempotency key. The same reference with the same input returns the recorded
 * invite, however often it is called and from however many processes, or throws PRIOR_OUTCOME_UNKNOWN if there may be one. A
 * failure with the outcome `not-executed` uses nothing up: the next create with the reference is sent. Once something was or
 * may have been created, a different input with the same reference is REFERENCE_CONFLICT.
 *
 * With any reference, or none, the candidate and the quizzes are compared, too: see `ifInvited` and `ifUnknown`. While another
 * call is inviting the candidate, a create waits for its result, until its own deadline: then it throws IN_PROGRESS.
 */
export interface CreateOptions extends CallOptions {
  /**
   * With a ledger: what to do if the candidate has an open invite. `refuse` (default) throws ALREADY_INVITED, `reuse`
   * returns the recorded invite if it is to the same quiz or package, and from then on whenever this `reference` is used, and `create`
   * sends another one.
   */
  readonly ifInvited?: 'refuse' | 'reuse' | 'create' | undefined
  /**
   * With a ledger: what to do if an earlier outcome is unknown. `refuse` (default) throws PRIOR_OUTCOME_UNKNOWN,
   * `create` sends another one.
   */
  readonly ifUnknown?: 'refuse' | 'create' | undefined
}

/** A ledger, as a client sees it: `openLedger` and `openPostgresLedger` return one. */
export interface ClientLedger {
  /** The place of the record: a path or a URL, without secrets. */
  readonly path: string
}

/** A ledger, with what a client uses of it. */
export interface RecordingLedger extends ClientLedger {
  readonly [INTERNALS]: {
    /** For the ages of records, and for waits. */
    readonly clock: Clock
    /** The clients of one ledger, endpoint and account share it. */
    readonly breaker: (endpoint: string, account: string) => CircuitBreaker
    /** Remembers the titles in a list of a service, and gives them to records that have none. */
    readonly learnTitles: (baseUrl: string, tracks: readonly PackageTrack[]) => void
    readonly creates: (client: RecordedClient) => RecordedCreate
  }
}

/**
 * Records a create of a client with a ledger, sends it unless a record answers or blocks it, and records how it ended. Resolves
 * with its result, or with the recorded one.
 *
 * @throws CertifyError of the ledger, if nothing was sent; else as `send`
 */
export type RecordedCreate = <Result extends CertificationInvite | PackageInvite>(
  operation: string,
  input: CreateInput,
  options: CreateOptions,
  send: (options: SendOptions) => Promise<Result>,
) => Promise<Result>

/** What a ledger needs to know of a client. */
export interface RecordedClient {
  readonly endpoint: string
  /** The caller's own, if there is one. */
  readonly fetch?: unknown
  readonly account: string
  readonly allowClockSkew: boolean
  readonly limits: ClientLimits
  readonly hooks: Hooks
  /** The client's clock, used for its deadlines. */
  readonly runtime: Runtime
  /** The service's time, by the client's responses. */
  readonly service: ServiceClock
  /** Lists tracks, which changes nothing. */
  readonly query: (filter: TrackFilter, options?: CallOptions) => Promise<readonly PackageTrack[]>
}

/** What a campaign needs of its client. */
export interface ClientInternals {
  readonly ledger: RecordingLedger | undefined
  readonly client: RecordedClient
  readonly authentication: Authentication
  readonly breaker: CircuitBreaker
  /**
   * Waits until a create may be sent, or the signal is aborted.
   *
   * @throws CertifyError SERVICE_UNAVAILABLE, outcome `not-executed`
   */
  readonly admit: (operation: string, signal: AbortSignal) => Promise<Permit | undefined>
  /** Sends a create directly, bypassing the ledger and the input checks. */
  readonly send: <Input extends CreateInput, Result>(
    operation: Operation<Input, Result>,
    input: Input,
    options: SendOptions,
    permit?: Permit,
  ) => Promise<Result>
}

/*
 * Where a client and a ledger keep what is not public. A registered symbol: they may come from different copies of this
 * package.
 */
export const INTERNALS: unique symbol = Symbol.for('certify-sdk/internals')

/** The internals of a client; `undefined` for an object that only looks like one. */
export function internalsOfClient(client: object): ClientInternals | undefined {
  return (client as Record<symbol, ClientInternals | undefined>)[INTERNALS]
}
