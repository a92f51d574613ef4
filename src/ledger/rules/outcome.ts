import { isCertifyError } from '../../errors.ts'
import type { CertificationInvite, CertificationPackageInvite as PackageInvite } from '../../generated/schema.ts'
import { type CreateInput, inUtc, isInviteId, isLink, isTime } from '../../operations.ts'
import { isServiceResponse } from '../../transport/failures.ts'
import type { LedgerRecord, LedgerInvite, LedgerScope, Settlement } from './model.ts'
import { emailKey, idKey, LINK_LIFETIME_MS } from './key.ts'

/** The record of a result. `now` is the time of its response. */
export function settlementOf(
  result: CertificationInvite | PackageInvite,
  now: number,
): Extract<Settlement, { readonly state: 'created' }> {
  if (!('invites' in result)) return { state: 'created', invites: [ledgerInvite(result, now)] }
  const invites = result.invites.map((invite) => ledgerInvite(invite, now))
  /* Empty, not absent, because the result is fully recorded. */
  return { state: 'created', invites, packageName: result.packageName ?? '' }
}

/** The record of a failure. An error from elsewhere means that the outcome is unknown. */
export function settlementOfFailure(error: unknown, now: number): Settlement {
  if (!isCertifyError(error)) return { state: 'unknown' }
  const { code, outcome, partial } = error
  if (outcome === 'executed') {
    return { state: 'created', invites: invitesIn(partial).map((invite) => ledgerInvite(invite, now)) }
  }
  if (outcome === 'unknown') return { state: 'unknown', code }
  return { state: isServiceResponse(error) ? 'refused' : 'not-executed', code }
}

/** The recorded result of a record, as the service returned it; `undefined` if it is not fully recorded. */
export function resultIn(record: LedgerRecord): CertificationInvite | PackageInvite | undefined {
  const { packageId, packageName, invites } = record
  if (packageId === undefined) {
    const [invite] = invites
    if (invite === undefined || !hasLink(invite)) return undefined
    /* No response has said when an imported one expires. */
    const isImported = record.history.some(({ what }) => what === 'imported')
    return isImported ? { ...plain(invite), expiresAt: invite.expiresAt } : plain(invite)
  }
  const skills = invites.filter(isSkillInvite)
  if (packageName === undefined || skills.length === 0 || skills.length < invites.length) return undefined
  return {
    packageId,
    packageName: packageName || null,
    invites: skills.map((invite) => ({
      quizId: invite.quizId,
      skillName: invite.skillName ?? null,
      level: invite.level ?? null,
      ...plain(invite),
    })),
  }
}

/**
 * The fields in which two creates differ: a reference belongs to one of them. One that ended with the invite of another create
 * belongs to its candidate and its quiz or package.
 */
export function conflicts(
  one: LedgerScope & { readonly input: CreateInput },
  other: typeof one & Pick<LedgerRecord, 'sameAs'>,
): readonly string[] {
  const scopes = (['account', 'world'] as const).filter((field) => one[field] !== other[field])
  return [...scopes, ...(other.sameAs === undefined ? differences : targetDifferences)(one.input, other.input)]
}

/** Whether two creates invite the same candidate to the same quiz, or to the same package. */
export function isSameTarget(one: CreateInput, other: CreateInput): boolean {
  return targetDifferences(one, other).length === 0
}

/** Of the fields in which two inputs differ, those that say who is invited to what. */
export function targetDifferences(one: CreateInput, other: CreateInput): readonly string[] {
  return differences(one, other).filter((path) => ['quizId', 'packageId', 'candidate.email'].includes(path))
}

/**
 * The fields in which two inputs differ. E-mail addresses, identifiers and names may differ in spelling; a name that one
 * of them lacks is no difference.
 */
export function differences(one: CreateInput, other: CreateInput): readonly string[] {
  const [a, b] = [comparable(one), comparable(other)]
  const isNamed = Boolean(a[NAME] && b[NAME])
  return Object.keys(a).filter((path) => a[path] !== b[path] && (path !== NAME || isNamed))
}

const NAME = 'candidate.name'

function comparable(input: CreateInput): Readonly<Record<string, unknown>> {
  const single = 'quizId' in input ? input : undefined
  return {
    quizId: single && idKey(single.quizId),
    packageId: 'packageId' in input ? idKey(input.packageId) : undefined,
    'candidate.email': emailKey(input.candidate.email),
    [NAME]: input.candidate.name?.normalize().trim(),
    sendInviteEmail: input.sendInviteEmail ?? true,
    externalReference: single?.externalReference,
    callbackUrl: input.callbackUrl,
  }
}

/* The invites in unexpected data, with what can be used of them: every object with an identifier. */
function invitesIn(partial: unknown): ReceivedInvite[] {
  if (typeof partial !== 'object' || partial === null) return []
  if (Array.isArray(partial)) return partial.flatMap(invitesIn)
  const { expiresAt, challengeUrl, status, quizId, ...others } = partial as Record<string, unknown>
  const { inviteId } = others
  if (!isInviteId(inviteId)) return Object.values(partial).flatMap(invitesIn)
  const known = {
    challengeUrl: isLink(challengeUrl) ? challengeUrl : undefined,
    status: text(status),
    quizId: text(quizId),
  }
  return [{ inviteId, expiresAt: text(expiresAt), ...known }]
}

function text(value: unknown): string | undefined {
  return isInviteId(value) ? value : undefined
}

/* An invite as received: descriptive fields may be missing. */
type ReceivedInvite = {
  readonly [Key in Exclude<keyof LedgerInvite, 'inviteId'>]?: LedgerInvite[Key] | null | undefined
} & {
  readonly inviteId: string
}

function ledgerInvite({ inviteId, expiresAt, ...rest }: ReceivedInvite, now: number): LedgerInvite {
  const known = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null && value !== undefined))
  if (isTime(expiresAt)) return { inviteId, ...known, expiresAt: inUtc(expiresAt) }
  return { inviteId, ...known, expiresAt: new Date(now + LINK_LIFETIME_MS).toISOString(), expiryAssumed: true }
}

type LinkedInvite = LedgerInvite & { readonly challengeUrl: string }

function hasLink(invite: LedgerInvite): invite is LinkedInvite {
  return invite.challengeUrl !== undefined
}

function isSkillInvite(invite: LedgerInvite): invite is LinkedInvite & { readonly quizId: string } {
  return hasLink(invite) && invite.quizId !== undefined
}

/* As the service returned it. */
function plain({ inviteId, challengeUrl, expiresAt, expiryAssumed, ...rest }: LinkedInvite): CertificationInvite {
  const { status = null, emailSent = null } = rest
  return { inviteId, status, challengeUrl, expiresAt: expiryAssumed === true ? null : expiresAt, emailSent }
}
