import * as z from 'zod/mini'
import type { MockInvite } from '../generated/contract.ts'
import { object } from './validation.ts'

const textOrNull = z.optional(z.nullable(z.string()))

const common = {
  candidate: object('candidate', { name: textOrNull, email: z.string() }),
  sendInviteEmail: z.optional(z.nullable(z.boolean())),
  callbackUrl: textOrNull,
}

/** The input of a create: for one quiz, or for a package. The service's own rules check the values. */
export const inviteInput = z.union(
  [
    object('the invite of a package', { packageId: z.string(), ...common }),
    object('an invite', { quizId: z.string(), ...common, externalReference: textOrNull }),
  ],
  { error: 'it has a quizId or a packageId, and a candidate with an email' },
)

/** Creates one invite, or those of a package. Throws a `Refusal` if the service refuses. */
export type CreateInvites = (input: z.output<typeof inviteInput>, linkBase: string) => MockInvite[]
