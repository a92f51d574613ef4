export {
  type AdminSessionClient,
  CertifyClient,
  type CertifyClientConstructor,
  type Invites,
  type PackageInvites,
  type RequestArguments,
  type Tracks,
} from './client.ts'
export type { Provided } from './credentials.ts'
export type { TypedDocument } from './document.ts'
export {
  CertifyError,
  type CertifyErrorCode,
  type CertifyErrorDetails,
  type Issue,
  isCertifyError,
  isOutcomeUnknown,
  type Outcome,
  type Phase,
} from './errors.ts'
export type { Candidate, InviteInput, PackageInviteInput, TrackFilter } from './inputs.ts'
export type {
  AdminSessionOptions,
  ApiKeyOptions,
  Authentication,
  CallOptions,
  ClientOptions,
  CommonOptions,
} from './options.ts'
export type {
  CertificationInvite,
  InviteStatus,
  Level,
  Package,
  PackageInvite,
  PackageTrack,
  Skill,
  SkillInvite,
} from './results.ts'
export { type Settled, settle } from './settle.ts'
export type { AbortSignalLike, Fetch, FetchInit, FetchResponse, RuntimeAbortSignal } from './transport/fetch.ts'
export type { AttemptEvent, Hooks, RetryEvent, SettledEvent } from './transport/hooks.ts'
export type { AppInfo } from './transport/user-agent.ts'
export { version } from './version.ts'
