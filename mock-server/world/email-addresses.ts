import type { BehaviourSwitches } from './model.ts'

/**
 * Whether browsers accept an address: the grammar of `<input type=email>` in the HTML standard. Nothing is trimmed
 * first.
 *
 * @param international `accept`: non-ASCII characters are valid too
 */
export function isEmail(text: string, international: BehaviourSwitches['internationalEmail']): boolean {
  return EMAIL.test(international === 'accept' ? text.replace(/[^\p{ASCII}\p{Z}\p{C}]/gu, 'x') : text)
}

/** The key of a candidate. Equal keys are the same candidate, as the behaviour switches define it. */
export function candidateKeyOf(email: string, identity: BehaviourSwitches['candidateIdentity']): string {
  return identity === 'exact-email' ? email : email.trim().toLowerCase()
}

const EMAIL =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/
