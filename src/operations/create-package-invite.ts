import { z } from 'zod/mini'
import {
  CreatePackageInviteDocument,
  type CreatePackageInviteMutation,
  type DeveloperCreateCertificationPackageInviteInput,
} from '../generated/operations.ts'
import { matchesGenerated } from '../generated-types.ts'
import type { Authentication } from '../options.ts'
import { closedObject, once, onceFor, openObject, rule, string } from '../validation.ts'
import {
  type Candidate,
  type CertificationInvite,
  callbackUrl,
  inviteFields,
  type Level,
  notBlank,
  nullableText,
  recipientFields,
  refusedField,
} from './invite-fields.ts'
import { defineOperation } from './operation.ts'

/**
 * The input of a package invite: one candidate and every skill of one package. Source: specification, part 2.
 *
 * It has no `externalReference`: the specification shows none here.
 *
 * @typeParam CallbackUrl as in {@link InviteInput}
 */
export interface PackageInviteInput<CallbackUrl extends string = string> {
  /** The package, as in {@link Package.id}. Not blank. */
  readonly packageId: string
  readonly candidate: Candidate
  /** As for a single invite. Each skill has its own e-mail with its own link. Default: `true`. */
  readonly sendInviteEmail?: boolean | undefined
  /** As for a single invite. Every invite of the package gets it. Only with an API key. */
  readonly callbackUrl?: CallbackUrl | undefined
}

/** One invite of a package invite, and its skill. Source: specification, part 2. */
export interface SkillInvite extends CertificationInvite {
  readonly quizId: string
  readonly skillName: string | null
  readonly level: Level | null
}

/** All invites of one package invite: one for each skill. Source: specification, part 2. */
export interface PackageInvite {
  readonly packageId: string
  readonly packageName: string | null
  readonly invites: readonly SkillInvite[]
}

/* Not in the types. */
const noReference = (): object => ({
  externalReference: refusedField('is not accepted for a package invite: the specification does not show it'),
})

const inputOf = (authentication: Authentication) =>
  matchesGenerated<DeveloperCreateCertificationPackageInviteInput>()(
    closedObject({
      packageId: notBlank(),
      ...recipientFields(),
      callbackUrl: callbackUrl(authentication),
      ...noReference(),
    }),
  )

const dataOf = () => {
  const skillInvite = openObject({
    quizId: string(),
    skillName: nullableText(),
    level: nullableText(),
    ...inviteFields(),
  })
  const packageInvite = openObject({
    packageId: string(),
    packageName: nullableText(),
    /* A package in a response has skills, and each gets an invite. */
    invites: z.array(skillInvite, 'must be a list').check(rule((list) => list.length > 0, 'must not be empty')),
  })
  return matchesGenerated<CreatePackageInviteMutation>()(
    openObject({ developerCreateCertificationPackageInvite: packageInvite }),
  )
}

const input = onceFor(inputOf)
const data = once(dataOf)

/** Creates one invite for every skill of a package, or none. Source: specification 4.3; the reasons: part 7. */
export const createPackageInvite = defineOperation({
  name: 'packageInvites.create',
  kind: 'mutation',
  field: 'developerCreateCertificationPackageInvite',
  hasOneField: true,
  scope: 'CERTIFICATION_INVITE_CREATE',
  document: CreatePackageInviteDocument,
  input,
  variables: (given) => ({ input: given }),
  data,
  possibleReasons: [
    'the candidate has an attempt in progress, or a certification that is valid now, for a skill of the package',
    'a skill of the package is no longer enabled',
  ],
  isOwn: ({ developerCreateCertificationPackageInvite: { packageId } }, { input: asked }) =>
    packageId.trim() === asked.packageId.trim(),
})
