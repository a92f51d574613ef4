import type { CandidateAct, Invite } from './model.ts'

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
