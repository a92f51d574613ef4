export {
  type AdminSessionClient,
  CertifyClient,
  type Invites,
  type PackageInvites,
  type RequestArguments,
  type Tracks,
} from './client.ts'
export type { ClientLedger } from './create-guard.ts'
export type { Provided } from './credentials.ts'
export type { TypedDocument } from './document.ts'
export {
  type AnyCertifyError,
  CertifyError,
  type CertifyErrorCode,
  type CertifyErrorDetails,
  type CertifyErrorOutcomes,
  type Issue,
  isCertifyError,
  type Outcome,
  type Phase,
  type PriorSend,
} from './errors.ts'
export type { InviteInput } from './operations/create-invite.ts'
export type { PackageInvite, PackageInviteInput, SkillInvite } from './operations/create-package-invite.ts'
export type { Candidate, CertificationInvite, InviteStatus, Level } from './operations/invite-fields.ts'
export type { Package, PackageTrack, Skill, TrackFilter } from './operations/list-tracks.ts'
export type {
  AdminSessionOptions,
  ApiKeyOptions,
  Authentication,
  CallOptions,
  ClientLimits,
  ClientOptions,
  CommonOptions,
  CreateOptions,
} from './options.ts'
export type { OnRequest } from './request-headers.ts'
export type { DebugFacts, DebugLogger, DebugOptions } from './transport/debug.ts'
export type { AbortSignalLike, Fetch, FetchInit, FetchResponse, RuntimeAbortSignal } from './transport/fetch.ts'
export type { AttemptEvent, Hooks, RequestEvent, RetryEvent, SettledEvent } from './transport/hooks.ts'
export type { AppInfo } from './transport/user-agent.ts'
export { version } from './version.ts'
