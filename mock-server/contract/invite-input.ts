import * as z from 'zod/mini'
import type { MockInvite } from '../generated/contract.ts'
import { mustBe, object } from './validation.ts'

const text = z.string({ error: mustBe('a text') })
const optionalText = z.optional(z.nullable(text))

const common = {
  candidate: object('candidate', { name: optionalText, email: text }),
  sendInviteEmail: z.optional(z.nullable(z.boolean({ error: mustBe('true or false') }))),
  callbackUrl: optionalText,
}

/** The input of a create: for one quiz, or for a package. The service's own rules check the values. */
export const inviteInput = z.union(
  [
    object('the invite of a package', { packageId: text, ...common }),
    object('an invite', { quizId: text, ...common, externalReference: optionalText }),
  ],
  { error: 'it has a quizId or a packageId, and a candidate with an email' },
)

/** Creates one invite, or those of a package. Throws a `Refusal` where the service refuses. */
export type CreateInvites = (input: z.output<typeof inviteInput>, linkBase: string) => MockInvite[]
