export {
  type AdminSessionClient,
  CertifyClient,
  type Invites,
  type PackageInvites,
  type RequestArguments,
  type Tracks,
} from './client.ts'
export type { ClientLedger } from './create-guard.ts'
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
export type {
  Candidate,
  CertificationInvite,
  CertificationPackage as Package,
  CertificationPackageInvite as PackageInvite,
  CertificationPackageSkill as Skill,
  CertificationPackageSkillInvite as SkillInvite,
  CertificationPackageTrack as PackageTrack,
} from './generated/schema.ts'
export type { InviteInput, PackageInviteInput, TrackFilter } from './operations/inputs.ts'
export type { InviteStatus, Level } from './operations/open-enums.ts'
export type { Authentication } from './operations/operation.ts'
export type { CallOptions, ClientLimits, CreateOptions } from './call-options.ts'
export type {
  AdminSessionOptions,
  ApiKeyOptions,
  ClientOptions,
  CommonOptions,
} from './options.ts'
export type { Provided } from './request-headers.ts'
export type { AbortSignalLike, Fetch, FetchInit, FetchResponse, RuntimeAbortSignal } from './transport/fetch.ts'
export type { AttemptEvent, Hooks, RequestEvent, RetryEvent, SettledEvent } from './transport/hooks.ts'
export { type AppInfo, version } from './transport/user-agent.ts'
