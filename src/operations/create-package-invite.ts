import {
  CreatePackageInviteDocument,
  type CreatePackageInviteMutation,
  type DeveloperCreateCertificationPackageInviteInput,
} from '../generated/operations.ts'
import { matchesGenerated } from '../generated-types.ts'
import { type Authentication, closedObject, list, once, onceFor, openObject, rule, string } from '../validation.ts'
import { callbackUrl, inviteFields, notBlank, nullableText, recipientFields } from './invite-fields.ts'
import { defineOperation } from './operation.ts'

const inputOf = (authentication: Authentication) =>
  matchesGenerated<DeveloperCreateCertificationPackageInviteInput>()(
    closedObject({
      packageId: notBlank(),
      ...recipientFields(),
      callbackUrl: callbackUrl(authentication),
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
    invites: list(
      skillInvite,
      rule(({ length }: unknown[]) => length > 0, 'must not be empty'),
    ),
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
