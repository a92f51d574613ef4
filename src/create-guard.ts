import type { Runtime } from './clock.ts'
import type {
  CertificationInvite,
  CertificationPackageInvite as PackageInvite,
  CertificationPackageTrack as PackageTrack,
} from './generated/schema.ts'
import type { Authentication, CreateInput, Operation, TrackFilter } from './operations.ts'
import type { CircuitBreaker } from './transport/breaker.ts'
import type { Permit } from './transport/breaker-state.ts'
import type { CallOptions, ClientLimits, SendOptions } from './transport/call.ts'
import type { Hooks } from './transport/hooks.ts'

/**
 * The options of a create.
 *
 * With a ledger, `reference` is the idempotency key. The same reference with the same input returns the recorded
 * invite, however often it is called and from however many processes, or throws PRIOR_OUTCOME_UNKNOWN if there may be one. A
 * failure with the outcome `not-executed` uses nothing up: the next create with the reference is sent. Once something was or
 * may have been created, a different input with the same reference is REFERENCE_CONFLICT.
 *
 * With any reference, or none, the candidate and the quizzes are compared, too: see `ifInvited` and `ifUnknown`.
 */
export interface CreateOptions extends CallOptions {
  /**
   * With a ledger: what to do if the candidate has an open invite. `refuse` (default) throws ALREADY_INVITED, `reuse`
   * returns the recorded invite if its input is the same, `create` sends another one.
   */
  readonly ifInvited?: 'refuse' | 'reuse' | 'create' | undefined
  /**
   * With a ledger: what to do if an earlier outcome is unknown. `refuse` (default) throws PRIOR_OUTCOME_UNKNOWN,
   * `create` sends another one.
   */
  readonly ifUnknown?: 'refuse' | 'create' | undefined
  /** With a ledger: how long to wait for another call that is inviting the same candidate, in milliseconds. Default: the client's. */
  readonly waitForInProgressMs?: number | undefined
}

/** A ledger, as a client sees it: `openLedger` and `openPostgresLedger` return one. */
export interface ClientLedger {
  /** The place of the record: a path or a URL, without secrets. */
  readonly path: string
}

/** The same, with what a client uses of it. */
export interface GuardingLedger extends ClientLedger {
  readonly [PARTS]: {
    readonly guard: (settings: GuardSettings) => CreateGuard
  }
}

/** Decides before each create whether it may be sent, and records it. */
export interface CreateGuard {
  /** @throws CertifyError if something blocks the create, or the ledger cannot be used; nothing was sent */
  readonly claim: <Result extends CertificationInvite | PackageInvite>(
    operation: string,
    input: CreateInput,
    options: CreateOptions,
  ) => Promise<ClaimedCreate<Result> | RecordedCreate<Result>>
  /** The clients of one ledger, endpoint and account share it. */
  readonly breaker: CircuitBreaker
  /** A complete response has arrived. */
  readonly sawResponse: NonNullable<CallOptions['onResponse']>
  /** A list of tracks has arrived: the ledger keeps its titles. */
  readonly sawTracks: (tracks: readonly PackageTrack[]) => void
}

/** A create that may be sent. */
export interface ClaimedCreate<Result> {
  /** How it is to be sent. */
  readonly sending: SendOptions
  /** Records how it ends, and ends likewise. Always call it, and at once: the claim is only released by it. */
  readonly record: (sent: Promise<Result>) => Promise<Result>
}

/** A create that was sent before, or that another one answers. */
export interface RecordedCreate<Result> {
  readonly recorded: Result
}

/** What a guard needs to know of its client. */
export interface GuardSettings {
  readonly endpoint: string
  /** The caller's own, if there is one. */
  readonly fetch?: unknown
  readonly account: string
  readonly allowClockSkew: boolean
  readonly waitForInProgressMs: number
  readonly limits: ClientLimits
  readonly hooks: Hooks
  /** Of the client: its deadlines count by it. */
  readonly runtime: Runtime
  readonly listTracks: (filter: TrackFilter, options?: CallOptions) => Promise<readonly PackageTrack[]>
}

/** What a campaign needs from its client. */
export interface ClientParts {
  readonly guard: CreateGuard | undefined
  readonly authentication: Authentication
  readonly breaker: CircuitBreaker
  /**
   * Waits until a create may be sent, or the signal is aborted.
   *
   * @throws CertifyError SERVICE_UNAVAILABLE, outcome `not-executed`
   */
  readonly admit: (
    operation: string,
    limits: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ) => Promise<Permit | undefined>
  /** Sends a create directly, bypassing the guard and the input checks. */
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
export const PARTS: unique symbol = Symbol.for('certify-sdk/parts')

/** The parts of a client; `undefined` for an object that only looks like one. */
export function partsOfClient(client: object): ClientParts | undefined {
  return (client as Record<symbol, ClientParts | undefined>)[PARTS]
}
