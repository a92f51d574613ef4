import type { DeveloperCreateCertificationInviteInput } from '../generated/operations.ts'
import { CreateInviteDocument, type CreateInviteMutation } from '../generated/operations.ts'
import { matchesGenerated } from '../generated-types.ts'
import type { Authentication } from '../options.ts'
import { closedObject, once, onceFor, openObject } from '../validation.ts'
import { type Candidate, callbackUrl, inviteFields, notBlank, optionalText, recipientFields } from './invite-fields.ts'
import { defineOperation } from './operation.ts'

/**
 * The input of a single invite: one candidate and one quiz. Source: specification, part 2.
 *
 * @typeParam CallbackUrl `string` with an API key, `never` in an admin session, which has no callbacks
 */
export interface InviteInput<CallbackUrl extends string = string> {
  /**
   * The quiz: `levels[].quizId` of the catalog (specification, part 2). The specification shows no operation for the catalog;
   * in practice the ids can be seen in {@link Skill.quizId}, which is informational. Not blank.
   */
  readonly quizId: string
  readonly candidate: Candidate
  /** With `false` the service sends no e-mail, and the result has the only copy of the link. Default: `true`. */
  readonly sendInviteEmail?: boolean | undefined
  /** Your own reference; a follow-up attempt inherits it. */
  readonly externalReference?: string | undefined
  /** Where the service sends events: a valid URL that starts with `https://`. Only with an API key. */
  readonly callbackUrl?: CallbackUrl | undefined
}

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
  hasOneField: true,
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
