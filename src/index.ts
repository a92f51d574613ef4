export { CertifyClient } from './client.ts'
export type { AbortSignalLike } from './clock.ts'
export {
  type AnyCertifyError,
  CertifyError,
  type CertifyErrorCode,
  type Issue,
  isCertifyError,
  type Outcome,
  type PriorRecord,
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
export type { InviteInput, PackageInviteInput, TrackFilter } from './operations.ts'
export type { AdminSessionOptions, ApiKeyOptions, ClientOptions } from './options.ts'
export type { CreateOptions } from './internals.ts'
export type { CallOptions } from './transport/call.ts'
export type { Fetch } from './transport/fetch.ts'
export type { AttemptEvent, BreakerEvent, Hooks, RequestEvent, RetryEvent, SettledEvent } from './transport/observe.ts'
export { version } from './util/runtime.ts'
