export { type AdminSessionClient, CertifyClient } from './client.ts'
export {
  type AnyCertifyError,
  CertifyError,
  type CertifyErrorCode,
  type Issue,
  isCertifyError,
  type Outcome,
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
export type { CallOptions, CreateOptions } from './call-options.ts'
export type { AdminSessionOptions, ApiKeyOptions, ClientOptions } from './options.ts'
export type { AbortSignalLike, Fetch } from './transport/fetch.ts'
export type { AttemptEvent, Hooks, RequestEvent, RetryEvent, SettledEvent } from './transport/hooks.ts'
export { version } from './transport/user-agent.ts'
