import { Clock, type ClockPosition, type Moment } from './clock.ts'
import { assertConsistent } from './consistency.ts'
import { candidateKeyOf } from './email-addresses.ts'
import type {
  ApiKey,
  BehaviourSwitches,
  CandidateHistory,
  Package,
  Quiz,
  Track,
  WorldData,
} from '../generated/contract.ts'
import { type Invite, LEVELS, type WorldEvent } from './model.ts'
import { State, type StateRows } from './state.ts'

/** What a world needs. `now` freezes its clock at that time; by default the clock follows real time. */
export interface WorldSettings {
  readonly data: WorldData
  readonly behaviour: BehaviourSwitches
  readonly seed: string
  readonly now?: Moment
  readonly sessionToken?: string
  /** Receives every event, in order. */
  readonly listener?: (event: WorldEvent) => void
  readonly onChange?: () => void
}

/** The state of a world: plain data that can be written to a file. */
export interface WorldSnapshot {
  /** Without keys, because a key in a world file may be real. */
  readonly data: Omit<WorldData, 'apiKeys'>
  readonly clock: ClockPosition
  readonly rows: Required<StateRows>
}

/** The default token of the admin session. How a real session is established is not specified. */
const ADMIN_SESSION_TOKEN = 'admin_sandbox_session_4tq8m2x6v0c5h9w3'

/**
 * The whole state of one service, and look-ups in it. It knows no rules. Every rule checks first and then writes in one
 * synchronous block, so that no two requests interleave.
 */
export class World {
  readonly clock: Clock
  readonly behaviour: BehaviourSwitches
  readonly sessionToken: string
  readonly listener: (event: WorldEvent) => void
  /** Every action calls this after it has written. */
  readonly noteChange: () => void
  #beginning: WorldData
  readonly #seed: string
  #data: WorldData
  #tracks: readonly Track[]
  #state: State

  constructor(settings: WorldSettings) {
    this.#beginning = beginning(settings.data)
    this.behaviour = settings.behaviour
    this.sessionToken = settings.sessionToken ?? ADMIN_SESSION_TOKEN
    this.listener = settings.listener ?? (() => {})
    this.noteChange = settings.onChange ?? (() => {})
    this.#seed = settings.seed
    this.clock = new Clock(settings.now)
    this.#data = this.#beginning
    this.#tracks = tracksOf(this.#data)
    this.#state = this.#initialState()
  }

  get tracks(): readonly Track[] {
    return this.#tracks
  }

  get apiKeys(): readonly ApiKey[] {
    return this.#data.apiKeys
  }

  /** The candidates with a history, as the world began. */
  get histories(): readonly CandidateHistory[] {
    return this.#data.candidates
  }

  /** The rows. Only the actions of a world write to them. */
  get state(): State {
    return this.#state
  }

  /** Resets rows, identifiers and clock, and begins with other data if given. `resetWorld` adds the histories too. */
  reset(data?: WorldData): void {
    if (data) this.#beginning = beginning(data)
    this.clock.reset()
    this.#data = this.#beginning
    this.#tracks = tracksOf(this.#data)
    this.#state = this.#initialState()
    this.noteChange()
  }

  snapshot(): WorldSnapshot {
    const clock = { now: this.clock.now(), frozen: this.clock.isFrozen }
    const { apiKeys: _kept, ...data } = this.#data
    return { data, clock, rows: this.#state.rows() }
  }

  /** Returns to a snapshot, of this world or of another; its own API keys stay. Changes nothing if it throws. */
  restore({ data: saved, clock, rows }: WorldSnapshot): void {
    const data = deepFrozen({ ...saved, apiKeys: this.#data.apiKeys })
    assertConsistent(data)
    this.#state = new State(this.#seed, deepFrozen(rows))
    this.#data = data
    this.#tracks = tracksOf(data)
    this.clock.set(clock)
    this.noteChange()
  }

  packageOf(packageId: string): Package | undefined {
    return this.#tracks.flatMap((track) => track.packages).find((pack) => pack.id === packageId)
  }

  /** The quiz. Throws if it does not exist: for a tester's calls, and for identifiers that were checked. */
  quizOf(quizId: string): Quiz {
    const quiz = this.#state.quizzes.get(quizId)
    if (!quiz) throw new Error(`This world has no quiz ${JSON.stringify(quizId)}.`)
    return quiz
  }

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

  keyOf(email: string): string {
    return candidateKeyOf(email, this.behaviour.candidateIdentity)
  }

  #initialState(): State {
    const { quizzes } = this.#data
    return new State(this.#seed, { quizzes, invites: [], attempts: [], certifications: [], mails: [], plans: [] })
  }
}

function beginning(data: WorldData): WorldData {
  const copy = deepFrozen(structuredClone(data))
  assertConsistent(copy)
  return copy
}

/** The tracks with their packages in the order of the levels. */
function tracksOf({ tracks }: WorldData): readonly Track[] {
  return deepFrozen(
    tracks.map((track) => ({
      ...track,
      packages: track.packages.toSorted((a, b) => LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level)),
    })),
  )
}

function deepFrozen<Data>(data: Data): Data {
  if (typeof data === 'object' && data !== null && !Object.isFrozen(data)) {
    for (const value of Object.values(data)) deepFrozen(value)
    Object.freeze(data)
  }
  return data
}
