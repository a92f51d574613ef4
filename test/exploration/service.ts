import type { CertificationInvite, PackageInvite } from '../../src/index.ts'
import type { FailureKind } from '../../src/transport/failures.ts'
import type { Actor } from './actor.ts'
import { type Job, PACKAGES } from './scenario.ts'

export const DAY_MS: number = 24 * 60 * 60_000
const LIFETIME_MS = 14 * DAY_MS

/** What a client gets for a request: a result, or a failure. */
export type Answer =
  | { readonly result: CertificationInvite | PackageInvite }
  | { readonly failure: FailureKind; readonly partial?: unknown }

/** A create in flight. `away`: its caller no longer waits, but it may still arrive. */
export interface CreateRequest {
  readonly reference: string
  readonly job: Job
  readonly caller: Actor
  phase: 'sent' | 'executed' | 'ended' | 'away'
}

/** A create that the service executed. */
export interface Executed {
  readonly reference: string
  readonly job: Job
  readonly openUntil: number
  readonly result: CertificationInvite | PackageInvite
}

/** The service: it executes whatever arrives, as often as it arrives. */
export class Service {
  readonly requests: CreateRequest[] = []
  readonly executed: Executed[] = []
  readonly #withoutExpiry: boolean

  constructor(withoutExpiry: boolean) {
    this.#withoutExpiry = withoutExpiry
  }

  execute({ reference, job }: Pick<CreateRequest, 'reference' | 'job'>, now: number): Executed {
    const count = this.executed.filter((each) => each.reference === reference).length
    const made = {
      reference,
      job,
      openUntil: now + LIFETIME_MS,
      result: this.#result(job, `inv-${reference}${"'".repeat(count)}`, now),
    }
    this.executed.push(made)
    return made
  }

  executionOf(reference: string): Executed | undefined {
    return this.executed.find((each) => each.reference === reference)
  }

  requestOf(caller: Actor): CreateRequest | undefined {
    return this.requests.find((each) => each.caller === caller && (each.phase === 'sent' || each.phase === 'executed'))
  }

  /** Everything that determines what it does next. */
  state(): string {
    const requests = this.requests.filter(({ phase }) => phase !== 'ended')
    return `${sorted(requests.map(({ reference, phase }) => `${reference}${phase}`))} ${this.books()}`
  }

  /** What it has executed. */
  books(): string {
    return sorted(this.executed.map(({ reference, openUntil }) => `${reference}@${openUntil}`))
  }

  #result({ quizId, packageId }: Job, inviteId: string, now: number): CertificationInvite | PackageInvite {
    const invite = (id: string) => ({
      inviteId: id,
      status: 'PENDING',
      challengeUrl: `https://certify.test/${id}`,
      expiresAt: this.#withoutExpiry ? null : new Date(now + LIFETIME_MS).toISOString(),
      emailSent: true,
    })
    if (packageId === undefined) return invite(inviteId)
    const invites = (PACKAGES[packageId] ?? []).map((quiz) => ({
      ...invite(`${inviteId}-${quiz}`),
      quizId: quiz,
      skillName: null,
      level: null,
    }))
    return quizId === undefined ? { packageId, packageName: 'Pack', invites } : invite(inviteId)
  }
}

function sorted(texts: readonly string[]): string {
  return texts.toSorted((one, other) => (one < other ? -1 : 1)).join()
}

/** The invites of a result. */
export function inviteIdsOf(result: CertificationInvite | PackageInvite): readonly string[] {
  return 'invites' in result ? result.invites.map(({ inviteId }) => inviteId) : [result.inviteId]
}

/** The quizzes and the package that a job would cover. */
export function subjectsOfJob({ quizId, packageId }: Job): readonly string[] {
  return packageId === undefined
    ? [`quiz:${quizId}`]
    : [`package:${packageId}`, ...(PACKAGES[packageId] ?? []).map((quiz) => `quiz:${quiz}`)]
}
