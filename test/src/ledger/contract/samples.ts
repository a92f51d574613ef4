import { expect } from 'vitest'
import type { ClaimRequest, LedgerInvite, LedgerScope, Settlement, Target } from '../../../../src/ledger/rules/entry.ts'
import type { Ledger } from '../../../../src/ledger/rules/ledger.ts'

export const scope: LedgerScope = { baseUrl: 'https://certify.test', account: 'acme', world: '' }

export const LEASE_MS = 60_000

/** A claim of `ada@example.com` for the quiz `quiz`, with a lease of one minute. */
export function request(reference: string, more: Partial<ClaimRequest> = {}): ClaimRequest {
  const target = more.target ?? { email: 'ada@example.com', quizIds: ['quiz'] }
  return { scope, target, reference, input: inputOf(target), leaseMs: LEASE_MS, ...more }
}

function inputOf({ email, quizIds, packageId }: Target) {
  const candidate = { name: 'Ada Byron', email }
  return packageId === undefined ? { quizId: quizIds[0] ?? 'quiz', candidate } : { packageId, candidate }
}

/** The target of a single invite. */
export function single(email: string, quizId = 'quiz'): Target {
  return { email, quizIds: [quizId] }
}

/** An invite as the service returns it, open until 2030-01-15. */
export function invite(inviteId: string, more: Partial<LedgerInvite> = {}): LedgerInvite {
  return {
    inviteId,
    status: 'PENDING',
    challengeUrl: `https://certify.test/challenge/${inviteId}`,
    expiresAt: '2030-01-15T00:00:00.000Z',
    emailSent: true,
    ...more,
  }
}

export function created(...invites: readonly LedgerInvite[]): Settlement {
  return { state: 'created', invites }
}

/** The kind of a claim with a new reference. */
export async function kindOf(ledger: Ledger, more: Partial<ClaimRequest> = {}): Promise<string> {
  return (await ledger.claim(request(`try-${crypto.randomUUID()}`, more))).kind
}

/** Records a send with this end. */
export async function record(
  ledger: Ledger,
  reference: string,
  settlement: Settlement | undefined,
  more: Partial<ClaimRequest> = {},
): Promise<void> {
  expect(await ledger.claim(request(reference, more))).toEqual({ kind: 'claimed', reference })
  if (settlement !== undefined) expect(await ledger.settle(reference, settlement)).toBe('recorded')
}

export async function stateOf(ledger: Ledger, reference: string): Promise<string | undefined> {
  return (await ledger.find(reference))?.state
}

/** All entries of a list. A list that does not end is an error. */
export async function all<T>(list: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const each of list) {
    found.push(each)
    if (found.length > 5000) throw new Error('the list does not end')
  }
  return found
}

export async function referencesOf(list: AsyncIterable<{ readonly reference: string }>): Promise<string[]> {
  return (await all(list)).map(({ reference }) => reference)
}
