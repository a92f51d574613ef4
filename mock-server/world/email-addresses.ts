import type { WorldSwitches } from './rule-switches.ts'

/** Whether browsers accept an address: the grammar of `<input type=email>` in the HTML standard. Nothing is trimmed first. */
export function isEmail(text: string): boolean {
  return EMAIL.test(text)
}

/** The key of a candidate. Equal keys are the same candidate, as the behaviour switches define it. */
export function candidateKeyOf(email: string, identity: WorldSwitches['candidateIdentity']): string {
  return identity === 'exact-email' ? email : email.trim().toLowerCase()
}

const EMAIL =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/
