import type { BehaviourSwitches } from '../generated/contract.ts'
import type { CandidateAct, Invite } from './model.ts'

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

/** How long a candidate with a magic address waits before each action. */
export const BETWEEN_ACTS_MS = 1000

/** What a magic address does. */
export interface Magic {
  /** `bounced`: the e-mail does not arrive, and the service knows it; `lost`: it does not know. */
  readonly mail?: 'bounced' | 'lost'
  /** The actions of the candidate on an invite, in order. */
  readonly acts?: (invite: Invite) => readonly CandidateAct[]
}

/**
 * What an address does, if it is magic: for tests that can only send requests. Magic addresses are on the reserved domain
 * `candidate.test`, with any `+tag`: `pass+7@candidate.test` is another candidate who passes.
 */
export function magicOf(email: string): Magic | undefined {
  return MAGIC.get(magicName(email) ?? '')
}

/** The name of a magic address without its tag; `null` for an address on another domain. */
export function magicName(email: string): string | null {
  return /^([^+@]+)(?:\+[^@]*)?@candidate\.test$/i.exec(email)?.[1]?.toLowerCase() ?? null
}

const MAGIC: ReadonlyMap<string, Magic> = new Map<string, Magic>([
  ['bounce', { mail: 'bounced' }],
  ['lost', { mail: 'lost' }],
  ['pass', { acts: () => ['start', 'pass'] }],
  ['fail', { acts: () => ['start', 'fail'] }],
  ['abandon', { acts: () => ['start', 'abandon'] }],
  ['retake', { acts: ({ followUpOf }) => (followUpOf ? ['start', 'pass'] : ['start', 'fail', 'claim']) }],
  ['level-up', { acts: ({ followUpOf }) => (followUpOf ? ['start', 'pass'] : ['start', 'pass', 'claim']) }],
])
