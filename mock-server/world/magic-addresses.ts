import type { CandidateAct, Invite } from './model.ts'

/** How long a candidate with a magic address waits before each thing it does. */
export const BETWEEN_ACTS_MS = 1000

/** What is special about the candidates of one name. */
export interface Magic {
  /** `bounced`: the e-mail does not get through, and the service knows; `lost`: it does not know. */
  readonly mail?: 'bounced' | 'lost'
  /** What the candidate does by itself with an invite, one thing after the other. */
  readonly acts?: (invite: Invite) => readonly CandidateAct[]
}

/**
 * The magic of an address, if it has any: for tests that have no hand in the mock but the invites they create. Only on
 * the reserved domain `candidate.test`, whatever `+tag` the name has: `pass+7@candidate.test` is another candidate who passes.
 */
export function magicOf(email: string): Magic | undefined {
  return MAGIC.get(magicName(email) ?? '')
}

/** The part of an address on the reserved domain that says which magic it has. */
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
