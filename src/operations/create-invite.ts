import type { DeveloperCreateCertificationInviteInput } from '../generated/operations.ts'
import { CreateInviteDocument, type CreateInviteMutation } from '../generated/operations.ts'
import { matchesGenerated } from '../generated-types.ts'
import { type Authentication, closedObject, once, onceFor, openObject } from '../validation.ts'
import { callbackUrl, inviteFields, notBlank, optionalText, recipientFields } from './invite-fields.ts'
import { defineOperation } from './operation.ts'

const inputOf = (authentication: Authentication) =>
  matchesGenerated<DeveloperCreateCertificationInviteInput>()(
    closedObject({
      quizId: notBlank(),
      ...recipientFields(),
      externalReference: optionalText(),
      callbackUrl: callbackUrl(authentication),
    }),
  )

const input = onceFor(inputOf)
const data = once(() =>
  matchesGenerated<CreateInviteMutation>()(
    openObject({ developerCreateCertificationInvite: openObject(inviteFields()) }),
  ),
)

/** Creates one invite. Source: specification 4.2; the reasons: part 7. */
export const createInvite = defineOperation({
  name: 'invites.create',
  kind: 'mutation',
  field: 'developerCreateCertificationInvite',
  scope: 'CERTIFICATION_INVITE_CREATE',
  document: CreateInviteDocument,
  input,
  variables: (given) => ({ input: given }),
  data,
  possibleReasons: [
    'the quiz is not READY (enabled) at the moment',
    'the candidate has an attempt in progress for this quiz',
    'the candidate has a certification for this quiz that is valid now',
  ],
})
