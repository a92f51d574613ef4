import {
  type CertificationInvite,
  type CertifyErrorCode,
  isCertifyError,
  type PackageInvite,
  type SkillInvite,
} from '../../index.ts'
import type { LedgerEntry, LedgerInvite, SendInput, Settlement } from './entry.ts'
import { idKey } from './key.ts'

/** The record of a result. */
export function settlementOf(result: CertificationInvite | PackageInvite): Settlement {
  if (!('invites' in result)) return { state: 'created', invites: [result] }
  return { state: 'created', invites: result.invites, packageName: result.packageName }
}

/** The record of a failure. An error from elsewhere means that the outcome is unknown. */
export function settlementOfFailure(error: unknown): Settlement {
  if (!isCertifyError(error)) return { state: 'unknown' }
  const { code, outcome, partial } = error
  if (outcome === 'executed') return { state: 'created', invites: invitesIn(partial) }
  if (outcome === 'unknown') return { state: 'unknown', code }
  return { state: REFUSALS.has(code) ? 'refused' : 'not-executed', code }
}

/** The codes with which the service refuses a request that it read. */
const REFUSALS: ReadonlySet<CertifyErrorCode> = new Set([
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'NOT_FOUND',
  'BAD_USER_INPUT',
  'API_ERROR',
])

/** The recorded result of an entry, as the service returned it; `undefined` if it is not recorded whole. */
export function resultIn(entry: LedgerEntry): CertificationInvite | PackageInvite | undefined {
  const { packageId, packageName, invites } = entry
  if (packageId === undefined) {
    const [invite] = invites
    return invite !== undefined && isWhole(invite) ? plain(invite) : undefined
  }
  const skills = invites.filter(isSkillInvite)
  if (packageName === undefined || skills.length === 0 || skills.length < invites.length) return undefined
  return {
    packageId,
    packageName,
    invites: skills.map((invite) => ({
      quizId: invite.quizId,
      skillName: invite.skillName,
      level: invite.level,
      ...plain(invite),
    })),
  }
}

/**
 * The fields in which two inputs for the same candidate differ. E-mail addresses and identifiers may differ in
 * spelling.
 */
export function differences(one: SendInput, other: SendInput): readonly string[] {
  const [a, b] = [comparable(one), comparable(other)]
  return Object.keys(a).filter((path) => a[path] !== b[path])
}

function comparable(input: SendInput): Readonly<Record<string, unknown>> {
  const single = 'quizId' in input ? input : undefined
  return {
    quizId: single && idKey(single.quizId),
    packageId: 'packageId' in input ? idKey(input.packageId) : undefined,
    'candidate.name': input.candidate.name,
    sendInviteEmail: input.sendInviteEmail ?? true,
    externalReference: single?.externalReference,
    callbackUrl: input.callbackUrl,
  }
}

/* The invites in unexpected data: every object with an identifier. */
function invitesIn(partial: unknown): LedgerInvite[] {
  if (typeof partial !== 'object' || partial === null) return []
  if (Array.isArray(partial)) return partial.flatMap(invitesIn)
  const { inviteId, expiresAt, challengeUrl, status, quizId } = partial as Record<string, unknown>
  if (typeof inviteId !== 'string') return Object.values(partial).flatMap(invitesIn)
  const known = { challengeUrl: text(challengeUrl), status: text(status), quizId: text(quizId) }
  return [{ inviteId, expiresAt: text(expiresAt) ?? '', ...known }]
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function isWhole(invite: LedgerInvite): invite is CertificationInvite {
  return invite.status !== undefined && invite.challengeUrl !== undefined && invite.emailSent !== undefined
}

function isSkillInvite(invite: LedgerInvite): invite is LedgerInvite & SkillInvite {
  const { quizId, skillName, level } = invite
  return isWhole(invite) && quizId !== undefined && skillName !== undefined && level !== undefined
}

function plain({ inviteId, status, challengeUrl, expiresAt, emailSent }: CertificationInvite): CertificationInvite {
  return { inviteId, status, challengeUrl, expiresAt, emailSent }
}
