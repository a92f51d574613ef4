import type {
  CertificationInvite,
  CertificationPackageInvite as PackageInvite,
  CertificationPackageTrack as PackageTrack,
} from './generated/schema.ts'
import type { InviteInput, PackageInviteInput, TrackFilter } from './operations/inputs.ts'
import type { CallOptions, ClientLimits, CreateOptions, SendOptions } from './call-options.ts'
import type { Runtime } from './clock.ts'
import type { Hooks } from './transport/hooks.ts'

/** A ledger, as a client sees it: `openLedger` and `openPostgresLedger` return one. */
export interface ClientLedger {
  /** Called by the constructor of a client. Not for callers. */
  readonly guard: (settings: GuardSettings) => CreateGuard
}

/** Decides before each create whether it may be sent, and records it. */
export interface CreateGuard {
  readonly create: <Result extends CertificationInvite | PackageInvite>(
    create: GuardedCreate<Result>,
  ) => Promise<Result>
  /** A complete response has arrived. */
  readonly sawResponse: NonNullable<CallOptions['onResponse']>
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

/** One create: its checked input, and how to send it. */
export interface GuardedCreate<Result> {
  readonly operation: string
  readonly input: InviteInput | PackageInviteInput
  readonly options: CreateOptions
  readonly send: (options: SendOptions) => Promise<Result>
}
