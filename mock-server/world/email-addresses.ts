import type { WorldSwitches } from './rule-switches.ts'

/**
 * Whether an address is one that browsers accept: the grammar of `<input type=email>` in the HTML standard. Nothing is
 * trimmed first, so a space around an address makes it invalid.
 */
export function isEmail(text: string): boolean {
  return EMAIL.test(text)
}

/** What tells candidates apart: the address, compared as the behaviour switches say. */
export function candidateKeyOf(email: string, identity: WorldSwitches['candidateIdentity']): string {
  return identity === 'exact-email' ? email : email.trim().toLowerCase()
}

const EMAIL =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/
