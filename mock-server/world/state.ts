import type { Quiz } from '../generated/contract.ts'
import type { Attempt, Certification, Invite, Mail, Plan } from './model.ts'
import { IdStream } from './seeded-random.ts'

/** Everything in a world that changes, as plain rows. */
export interface StateRows {
  readonly quizzes: readonly Quiz[]
  readonly invites: readonly Invite[]
  readonly attempts: readonly Attempt[]
  readonly certifications: readonly Certification[]
  readonly mails: readonly Mail[]
  readonly plans: readonly Plan[]
  /** The place in the sequence of event identifiers. Default: its beginning. */
  readonly positions?: Readonly<Record<'events', readonly number[]>>
}

/** The rows of a world, look-ups of them, and the next identifiers. Rows are replaced, never changed. */
export class State {
  readonly quizzes: Map<string, Quiz>
  readonly invites = new Map<string, Invite>()
  /** In the order in which they were created. */
  readonly inviteIds: string[] = []
  readonly mails: Mail[]
  /** In the order in which they fall due: all have the same delay. */
  readonly plans: Plan[]
  readonly eventIds: IdStream
  readonly #seed: string
  readonly #inviteIdsByToken = new Map<string, string>()
  readonly #inviteIdsByPair = new Map<string, string[]>()
  readonly #attempts = new Map<string, Attempt[]>()
  /** The attempt of each invite that was begun: a page counts the statuses of all invites. */
  readonly #attemptsByInvite = new Map<string, Attempt>()
  readonly #certifications = new Map<string, Certification[]>()

  constructor(seed: string, rows: StateRows) {
    this.quizzes = new Map(rows.quizzes.map((quiz) => [quiz.id, quiz]))
    this.mails = [...rows.mails]
    this.plans = [...rows.plans]
    this.#seed = seed
    this.eventIds = new IdStream(seed, 'evt_', 16)
    for (const invite of rows.invites) this.addInvite(invite)
    for (const row of rows.attempts) this.addAttempt(row)
    for (const row of rows.certifications) this.addCertification(row)
    if (rows.positions) this.eventIds.position = rows.positions.events
  }

  /**
   * The identifier and the link token of the next invite of one candidate for one quiz. They depend on nothing else: after
   * a reset, an earlier identifier never returns for another candidate, which would confuse clients.
   */
  nextInvite(candidateKey: string, quizId: string): Pick<Invite, 'inviteId' | 'token'> {
    const count = this.inviteIdsOf(candidateKey, quizId).length
    const seed = [this.#seed, pairOf(candidateKey, quizId), count].join('\u0000')
    return { inviteId: new IdStream(seed, 'inv_', 16).next(), token: new IdStream(seed, '', 32).next() }
  }

  addInvite(invite: Invite): void {
    this.invites.set(invite.inviteId, invite)
    this.inviteIds.push(invite.inviteId)
    this.#inviteIdsByToken.set(invite.token, invite.inviteId)
    addTo(this.#inviteIdsByPair, invite, invite.inviteId)
  }

  addAttempt(attempt: Attempt): void {
    addTo(this.#attempts, attempt, attempt)
    if (attempt.inviteId !== null) this.#attemptsByInvite.set(attempt.inviteId, attempt)
  }

  replaceAttempt(attempt: Attempt, next: Attempt): void {
    const attempts = this.#attempts.get(pairOf(attempt.candidateKey, attempt.quizId)) ?? []
    attempts[attempts.indexOf(attempt)] = next
    if (next.inviteId !== null) this.#attemptsByInvite.set(next.inviteId, next)
  }

  addCertification(certification: Certification): void {
    addTo(this.#certifications, certification, certification)
  }

  inviteByToken(token: string): Invite | undefined {
    return this.invites.get(this.#inviteIdsByToken.get(token) ?? '')
  }

  attemptOfInvite(inviteId: string): Attempt | undefined {
    return this.#attemptsByInvite.get(inviteId)
  }

  /* The rows of one candidate and one quiz, oldest first. */

  inviteIdsOf(candidateKey: string, quizId: string): readonly string[] {
    return this.#inviteIdsByPair.get(pairOf(candidateKey, quizId)) ?? []
  }

  attemptsOf(candidateKey: string, quizId: string): readonly Attempt[] {
    return this.#attempts.get(pairOf(candidateKey, quizId)) ?? []
  }

  certificationsOf(candidateKey: string, quizId: string): readonly Certification[] {
    return this.#certifications.get(pairOf(candidateKey, quizId)) ?? []
  }

  /** All attempts, or all of one candidate. */
  attempts(candidateKey?: string): Attempt[] {
    return flat(this.#attempts, candidateKey)
  }

  /** All certifications, or all of one candidate. */
  certifications(candidateKey?: string): Certification[] {
    return flat(this.#certifications, candidateKey)
  }

  rows(): Required<StateRows> {
    return {
      quizzes: [...this.quizzes.values()],
      invites: [...this.invites.values()],
      attempts: this.attempts(),
      certifications: this.certifications(),
      mails: [...this.mails],
      plans: [...this.plans],
      positions: { events: this.eventIds.position },
    }
  }
}

function pairOf(candidateKey: string, quizId: string): string {
  return `${quizId}\n${candidateKey}`
}

function addTo<Row>(lists: Map<string, Row[]>, pair: Pick<Attempt, 'candidateKey' | 'quizId'>, row: Row): void {
  const key = pairOf(pair.candidateKey, pair.quizId)
  const list = lists.get(key)
  if (list) list.push(row)
  else lists.set(key, [row])
}

function flat<Row extends { readonly candidateKey: string }>(
  lists: ReadonlyMap<string, readonly Row[]>,
  candidateKey?: string,
): Row[] {
  const rows = [...lists.values()].flat()
  return candidateKey === undefined ? rows : rows.filter((row) => row.candidateKey === candidateKey)
}
