import { ADMIN_SESSION_TOKEN, type Credentials, callerOf } from './access.ts'
import { beginAttempt, endInvite, passQuiz, startInvite } from './attempts.ts'
import { candidateKeyOf } from './candidate.ts'
import { Clock, type ClockPosition, type Moment, millisecondsOf } from './clock.ts'
import { assertConsistent } from './consistency.ts'
import type { WorldDialect } from './dialect.ts'
import { claimFollowUp, offerOf } from './follow-ups.ts'
import { BETWEEN_ACTS_MS } from './magic.ts'
import {
  type ApiKey,
  type Caller,
  type CandidateAct,
  type Invite,
  LEVELS,
  type Package,
  type Quiz,
  type Track,
  type WorldData,
  type WorldEvent,
} from './model.ts'
import { Refusal } from './refusal.ts'
import { State, type StateRows } from './state.ts'

/** What a world is made of. `now` freezes its clock at that time; without it the clock follows real time. */
export interface WorldSettings {
  readonly data: WorldData
  readonly dialect: WorldDialect
  readonly seed: string
  readonly now?: Moment
  /** The token of the one admin session. */
  readonly sessionToken?: string
  /** Is told every event, in the order in which they occur. */
  readonly listener?: (event: WorldEvent) => void
  /** Is told that some row has changed. */
  readonly onChange?: () => void
}

/** A world at one moment: plain data that can be written to a file. */
export interface WorldRecord {
  readonly data: WorldData
  readonly clock: ClockPosition
  readonly rows: Required<StateRows>
}

/**
 * The whole state of one service. Rows are replaced, never changed; every command checks first and then writes in one
 * synchronous block, so that no two requests can interleave.
 */
export class World {
  readonly clock: Clock
  readonly dialect: WorldDialect
  readonly sessionToken: string
  readonly listener: (event: WorldEvent) => void
  /** Every command calls this when it has written. */
  readonly noteChange: () => void
  readonly #beginning: WorldData
  readonly #seed: string
  #data: WorldData
  #tracks: readonly Track[]
  #state: State

  constructor(settings: WorldSettings) {
    this.#beginning = deepFrozen(structuredClone(settings.data))
    assertConsistent(this.#beginning)
    this.dialect = settings.dialect
    this.sessionToken = settings.sessionToken ?? ADMIN_SESSION_TOKEN
    this.listener = settings.listener ?? (() => {})
    this.noteChange = settings.onChange ?? (() => {})
    this.#seed = settings.seed
    this.clock = new Clock(settings.now)
    this.#data = this.#beginning
    this.#tracks = tracksOf(this.#data)
    this.#state = this.#begun()
    this.#playHistories()
  }

  get tracks(): readonly Track[] {
    return this.#tracks
  }

  get apiKeys(): readonly ApiKey[] {
    return this.#data.apiKeys
  }

  /** Everything that changes. Only the commands of a world write to it. */
  get state(): State {
    return this.#state
  }

  /** Back to the beginning: rows, identifiers and clock. */
  reset(): void {
    this.clock.reset()
    this.#data = this.#beginning
    this.#tracks = tracksOf(this.#data)
    this.#state = this.#begun()
    this.#playHistories()
    this.noteChange()
  }

  /** This moment, to come back to. */
  record(): WorldRecord {
    const clock = { now: this.clock.now(), frozen: this.clock.isFrozen }
    return { data: this.#data, clock, rows: this.#state.rows() }
  }

  /** Back to a moment that was recorded, in this world or in another; its keys stay. Changes nothing where it throws. */
  restore({ data: recorded, clock, rows }: WorldRecord): void {
    const data = deepFrozen({ ...recorded, apiKeys: this.#data.apiKeys })
    assertConsistent(data)
    this.#state = new State(this.#seed, deepFrozen(rows))
    this.#data = data
    this.#tracks = tracksOf(data)
    this.clock.set(clock)
    this.noteChange()
  }

  callerOf(credentials: Credentials): Caller {
    return callerOf(credentials, this)
  }

  packageOf(packageId: string): Package | undefined {
    return this.#tracks.flatMap((track) => track.packages).find((pack) => pack.id === packageId)
  }

  /** The quiz, or an error that says it does not exist: for a tester's commands and for identifiers that were checked. */
  quizOf(quizId: string): Quiz {
    const quiz = this.#state.quizzes.get(quizId)
    if (!quiz) throw new Error(`This world has no quiz ${JSON.stringify(quizId)}.`)
    return quiz
  }

  /** The invite, or an error that says it does not exist. */
  inviteOf(inviteId: string): Invite {
    const invite = this.#state.invites.get(inviteId)
    if (!invite) throw new Error(`This world has no invite ${JSON.stringify(inviteId)}.`)
    return invite
  }

  isDeliverable(pack: Package): boolean {
    return pack.quizIds.length > 0 && pack.quizIds.every((quizId) => this.quizOf(quizId).ready)
  }

  setReady(quizId: string, ready: boolean): void {
    this.#state.quizzes.set(quizId, { ...this.quizOf(quizId), ready })
    this.noteChange()
  }

  /** A candidate begins an attempt without any link. */
  startAttempt(email: string, quizId: string, startedAt: number = this.clock.now()): void {
    beginAttempt(this, this.keyOf(email), this.quizOf(quizId), { startedAt })
  }

  /** A candidate passes a quiz without any link; an attempt in progress ends with it. */
  certify(email: string, quizId: string, passedAt?: number): void {
    passQuiz(this, this.keyOf(email), this.quizOf(quizId), passedAt)
  }

  /** A candidate does something with an invite. Throws a {@link Refusal} where it cannot be done. */
  act(inviteId: string, act: CandidateAct): void {
    const invite = this.inviteOf(inviteId)
    if (act === 'start') startInvite(this, invite)
    else if (act === 'pass') endInvite(this, invite, 'PASSED')
    else if (act === 'fail') endInvite(this, invite, 'FAILED')
    else if (act === 'abandon') endInvite(this, invite, 'ABANDONED')
    else claimFollowUp(this, invite, offerOf(this, invite)?.kind ?? 'retake')
  }

  /** When the next thing happens by itself. */
  dueAt(): number | null {
    return this.#state.plans[0]?.at ?? null
  }

  /** Whatever candidates had planned to do by now. What cannot be done any more is left. */
  runDue(): void {
    const { plans } = this.#state
    while (plans[0] && plans[0].at <= this.clock.now()) {
      const { inviteId, acts } = plans[0]
      plans.shift()
      const [act, ...rest] = acts
      if (act && this.#isDone(inviteId, act) && rest.length > 0) {
        plans.push({ at: this.clock.now() + BETWEEN_ACTS_MS, inviteId, acts: rest })
      }
    }
  }

  /** What tells this candidate from others. */
  keyOf(email: string): string {
    return candidateKeyOf(email, this.dialect.candidateIdentity)
  }

  #isDone(inviteId: string, act: CandidateAct): boolean {
    try {
      this.act(inviteId, act)
      return true
    } catch (error) {
      if (error instanceof Refusal) return false
      throw error
    }
  }

  #begun(): State {
    const { quizzes } = this.#data
    return new State(this.#seed, { quizzes, invites: [], attempts: [], certifications: [], mails: [], plans: [] })
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

/** The tracks with their packages in the order of the levels. */
function tracksOf({ tracks }: WorldData): readonly Track[] {
  return deepFrozen(tracks.map((track) => ({ ...track, packages: track.packages.toSorted(byLevel) })))
}

function byLevel(a: Package, b: Package): number {
  return LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level)
}

/** Data that nobody can change any more, whoever is given it. */
function deepFrozen<Data>(data: Data): Data {
  if (typeof data === 'object' && data !== null && !Object.isFrozen(data)) {
    for (const value of Object.values(data)) deepFrozen(value)
    Object.freeze(data)
  }
  return data
}
