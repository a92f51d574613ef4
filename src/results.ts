import { agreesWith } from './agreement.ts'
import type { CreateInviteMutation, CreatePackageInviteMutation, PackageTracksQuery } from './generated/operations.ts'
import { any, array, isBoolean, isString, must, object, string } from './schema.ts'

/** A level of proficiency. Open: the specification shows `BEGINNER` and says that there are more. */
export type Level = 'BEGINNER' | (string & {})

/** The state of an invite. Open: the specification shows `PENDING`, the state at creation. */
export type InviteStatus = 'PENDING' | (string & {})

/** One skill of a package and the quiz that tests it. Source: specification, part 2. */
export interface Skill {
  /** What a single invite is created for. */
  readonly quizId: string
  readonly skillName: string
  readonly level: Level
  /** How long the attempt may take, in whole minutes. */
  readonly durationMinutes: number
  /** Language codes. */
  readonly enabledLanguages: readonly string[]
  readonly conceptsTested: readonly string[]
}

/** A group of skills at one level. Source: specification, part 2. */
export interface Package {
  /** What a package invite is created for. */
  readonly id: string
  readonly name: string
  readonly level: Level
  readonly description: string
  readonly skills: readonly Skill[]
}

/** A curated progression of up to four packages. Source: specification, part 2. */
export interface PackageTrack {
  readonly id: string
  readonly name: string
  readonly slug: string
  /** Only those that can be delivered now. */
  readonly packages: readonly Package[]
}

/** An invite as it was created. Source: specification, part 2. */
export interface CertificationInvite {
  readonly inviteId: string
  readonly status: InviteStatus
  /** The link that the candidate opens. With `sendInviteEmail: false` this is its only copy. */
  readonly challengeUrl: string
  /** ISO 8601 in UTC, as the service wrote it: 14 days after creation. */
  readonly expiresAt: string
  /** Whether the service sent the e-mail. */
  readonly emailSent: boolean
}

/** One invite of a package invite, with the skill that it is for. Source: specification, part 2. */
export interface SkillInvite extends CertificationInvite {
  readonly quizId: string
  readonly skillName: string
  readonly level: Level
}

/** All the invites that one package invite created: one a skill. Source: specification, part 2. */
export interface PackageInvite {
  readonly packageId: string
  readonly packageName: string
  readonly invites: readonly SkillInvite[]
}

const strings = any<readonly string[]>(
  must((value: unknown) => Array.isArray(value) && value.every(isString), 'must be a list of strings'),
)

const skill = object({
  quizId: string(),
  skillName: string(),
  level: string(),
  durationMinutes: any<number>(must(Number.isInteger, 'must be a whole number')),
  enabledLanguages: strings,
  conceptsTested: strings,
})

const packageTrack = object({
  id: string(),
  name: string(),
  slug: string(),
  packages: array(
    object({
      id: string(),
      name: string(),
      level: string(),
      description: string(),
      skills: array(skill),
    }),
  ),
})

const invite = {
  inviteId: string(),
  status: string(),
  challengeUrl: string(),
  expiresAt: string(),
  emailSent: any<boolean>(must(isBoolean, 'must be true or false')),
}

const packageInvite = object({
  packageId: string(),
  packageName: string(),
  /* A package that can be invited to has skills, and each gets an invite. */
  invites: array(
    object({ quizId: string(), skillName: string(), level: string(), ...invite }),
    must((list) => list.length > 0, 'must not be empty'),
  ),
})

/* Tolerant: an enumeration is any string, and fields that nobody asked for are dropped without an error. */
export const packageTracksData = agreesWith<PackageTracksQuery>()(
  object({ developerCertificationPackageTracks: array(packageTrack) }),
)
export const createInviteData = agreesWith<CreateInviteMutation>()(
  object({ developerCreateCertificationInvite: object(invite) }),
)
export const createPackageInviteData = agreesWith<CreatePackageInviteMutation>()(
  object({ developerCreateCertificationPackageInvite: packageInvite }),
)
