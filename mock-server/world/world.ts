import { type Credentials, callerOf } from './access.ts'
import { candidateKeyOf } from './candidate.ts'
import { Clock, durationMs, type Moment, millisecondsOf } from './clock.ts'
import { assertConsistent } from './consistency.ts'
import type { WorldDialect } from './dialect.ts'
import { IdStream } from './ids.ts'
import {
  type ApiKey,
  type Attempt,
  type Caller,
  type Certification,
  type Invite,
  LEVELS,
  type Mail,
  type Package,
  type Quiz,
  type Track,
  type WorldData,
} from './model.ts'

/** What a world is made of. `now` freezes its clock at that time; without it the clock follows real time. */
export interface WorldSettings {
  readonly data: WorldData
  readonly dialect: WorldDialect
  readonly seed: string
  readonly now?: Moment
}

/**
 * The whole state of one service. Rows are replaced, never changed; every command checks first and then writes in one
 * synchronous block, so that no two requests can interleave.
 */
export class World {
  readonly clock: Clock
  readonly dialect: WorldDialect
  readonly tracks: readonly Track[]
  readonly apiKeys: readonly ApiKey[]
  readonly #data: WorldData
  readonly #seed: string
  #state: State

  constructor(settings: WorldSettings) {
    this.#data = structuredClone(settings.data)
    assertConsistent(this.#data)
    this.dialect = settings.dialect
    this.tracks = this.#data.tracks.map(inOrderOfLevels)
    this.apiKeys = this.#data.apiKeys
    this.#seed = settings.seed
    this.clock = new Clock(settings.now)
    this.#state = emptyState(this.#seed, this.#data)
    this.#playHistories()
  }

  /** Everything that changes. Only the commands of a world write to it. */
  get state(): State {
    return this.#state
  }

  /** Back to the beginning: rows, identifiers and clock. */
  reset(): void {
    this.clock.reset()
    this.#state = emptyState(this.#seed, this.#data)
    this.#playHistories()
  }

  callerOf(credentials: Credentials): Caller {
    return callerOf(credentials, this.apiKeys, this.dialect)
  }

  packageOf(packageId: string): Package | undefined {
    return this.tracks.flatMap((track) => track.packages).find((pack) => pack.id === packageId)
  }

  /** The quiz, or an error that says it does not exist: for a tester's commands and for identifiers that were checked. */
  quizOf(quizId: string): Quiz {
    const quiz = this.#state.quizzes.get(quizId)
    if (!quiz) throw new Error(`This world has no quiz ${JSON.stringify(quizId)}.`)
    return quiz
  }

  isDeliverable(pack: Package): boolean {
    return pack.quizIds.length > 0 && pack.quizIds.every((quizId) => this.quizOf(quizId).ready)
  }

  setReady(quizId: string, ready: boolean): void {
    this.#state.quizzes.set(quizId, { ...this.quizOf(quizId), ready })
  }

  /** The candidate begins an attempt; there is at most one in progress for a quiz. */
  startAttempt(email: string, quizId: string, startedAt: number = this.clock.now()): void {
    const quiz = this.quizOf(quizId)
    const pair = this.pairOf(email, quizId)
    if (this.#state.attempts.get(pair)?.status === 'IN_PROGRESS') {
      throw new Error(
        `${email} has an attempt in progress for "${quiz.skillName}" (${quizId}) already; one is the most.`,
      )
    }
    const candidateKey = candidateKeyOf(email, this.dialect.candidateIdentity)
    this.#state.attempts.set(pair, { candidateKey, quizId, status: 'IN_PROGRESS', startedAt })
  }

  /** The candidate passes the quiz: an attempt in progress ends with it, and the certification begins. */
  certify(email: string, quizId: string, passedAt: number = this.clock.now()): void {
    this.quizOf(quizId)
    const pair = this.pairOf(email, quizId)
    const candidateKey = candidateKeyOf(email, this.dialect.candidateIdentity)
    const attempt = this.#state.attempts.get(pair)
    const certification = { candidateKey, quizId, passedAt, validUntil: this.#validUntil(passedAt) }
    if (attempt) this.#state.attempts.set(pair, { ...attempt, status: 'PASSED' })
    this.#state.certifications.set(pair, [...(this.#state.certifications.get(pair) ?? []), certification])
  }

  /** Names one candidate at one quiz: what attempts, certifications and open invites are found by. */
  pairOf(email: string, quizId: string): string {
    return `${quizId}\n${candidateKeyOf(email, this.dialect.candidateIdentity)}`
  }

  #validUntil(passedAt: number): number | null {
    const validity = this.dialect.certificationValidity
    if (validity === 'never-expires') return null
    if (validity !== 'two-years') return passedAt + durationMs(validity)
    const end = new Date(passedAt)
    return end.setUTCFullYear(end.getUTCFullYear() + 2)
  }

  #playHistories(): void {
    const beginning = this.clock.now()
    const timeOf = (moment?: string): number => (moment === undefined ? beginning : millisecondsOf(moment))
    for (const { email, certifications = [], attempts = [] } of this.#data.candidates) {
      for (const { quizId, passedAt } of certifications) this.certify(email, quizId, timeOf(passedAt))
      for (const { quizId, startedAt } of attempts) this.startAttempt(email, quizId, timeOf(startedAt))
    }
  }
}

/** The rows of a world at one moment, and the identifiers to come. */
export interface State {
  readonly quizzes: Map<string, Quiz>
  readonly attempts: Map<string, Attempt>
  readonly certifications: Map<string, readonly Certification[]>
  readonly invitesByToken: Map<string, Invite>
  readonly invitesByPair: Map<string, readonly Invite[]>
  readonly mails: Mail[]
  readonly inviteIds: IdStream
  readonly linkTokens: IdStream
}

function emptyState(seed: string, data: WorldData): State {
  return {
    quizzes: new Map(data.quizzes.map((quiz) => [quiz.id, quiz])),
    attempts: new Map(),
    certifications: new Map(),
    invitesByToken: new Map(),
    invitesByPair: new Map(),
    mails: [],
    inviteIds: new IdStream(seed, 'inv_', 16),
    linkTokens: new IdStream(seed, '', 32),
  }
}

function inOrderOfLevels(track: Track): Track {
  return { ...track, packages: track.packages.toSorted((a, b) => LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level)) }
}
