import { expect } from 'vitest'
import type {
  ClaimKey,
  ClaimRequest,
  LedgerInvite,
  LedgerScope,
  Settlement,
  Target,
} from '../../../../src/ledger/rules/model.ts'
import type { CreateInput } from '../../../../src/operations.ts'
import { targetOf } from '../../../../src/ledger/rules/key.ts'
import type { Recorded } from '../../../../src/ledger/rules/ledger-types.ts'
import type { StoredRecord } from '../../../../src/ledger/rules/record.ts'
import type { WholeLedger } from '../whole.ts'

export const scope: LedgerScope = { baseUrl: 'https://certify.test', account: 'acme', world: '' }

export const LEASE_MS = 60_000

/** A claim of `ada@example.com` for the quiz `quiz`, with a lease of one minute. */
export function request(reference: string, more: Partial<ClaimRequest> = {}): ClaimRequest {
  const target = more.target ?? { email: 'ada@example.com', quizIds: ['quiz'] }
  return { scope, target, reference, input: inputOf(target), leaseMs: LEASE_MS, ...more }
}

/** The claim of a create, as a client of this service makes it. */
export function claimOf(
  input: CreateInput,
  reference: string,
  {
    baseUrl,
    account = 'default',
    ...more
  }: Partial<ClaimRequest> & { readonly baseUrl: string; readonly account?: string },
): ClaimRequest {
  return {
    scope: { baseUrl, account, world: '' },
    target: targetOf(input),
    input,
    reference,
    leaseMs: LEASE_MS,
    ...more,
  }
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
export async function kindOf(ledger: WholeLedger, more: Partial<ClaimRequest> = {}): Promise<string> {
  return (await ledger.claim(request(`try-${crypto.randomUUID()}`, more))).kind
}

/** Records a create with this end. */
export async function recordCreate(
  ledger: WholeLedger,
  reference: string,
  settlement: Settlement | undefined,
  more: Partial<ClaimRequest> = {},
): Promise<void> {
  const claim = await claimed(ledger, request(reference, more))
  if (settlement !== undefined) expect(await ledger.settle(claim, settlement)).toBe('recorded')
}

/** A claim that nothing blocks. */
export async function claimed(ledger: WholeLedger, claimRequest: ClaimRequest): Promise<ClaimKey> {
  const claim = await ledger.claim(claimRequest)
  expect(claim).toMatchObject({ kind: 'claimed' })
  return claim as ClaimKey & typeof claim
}

/** Settles the claim that a reference has now. */
export async function settle(ledger: WholeLedger, reference: string, settlement: Settlement): Promise<Recorded> {
  const { owner = '' } = (await recordsOf(ledger)).find((each) => each.reference === reference) ?? {}
  return ledger.settle({ reference, owner }, settlement)
}

/** Everything that a ledger has recorded. */
export async function recordsOf(ledger: WholeLedger): Promise<readonly StoredRecord[]> {
  return (await all(ledger.records())).flat()
}

export async function stateOf(ledger: WholeLedger, reference: string): Promise<string | undefined> {
  return (await ledger.find(reference))?.state
}

/** All records of a list. A list that does not end is an error. */
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
