import { hashOf } from './hash.ts'

/** Something that can happen next. */
export interface Choice {
  readonly label: string
  /** 1 for a fault, or an interruption. */
  readonly cost: 0 | 1
  readonly take: () => void
}

/** What an actor waits for. */
interface Pending {
  readonly choices: () => readonly Choice[]
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

/** A process that invites, a person, or an event: the scheduler decides when it continues, and with what. */
export class Actor {
  readonly name: string
  pending: Pending | undefined
  /** Whether it is at the very beginning of a claim, or waits between two. */
  isIdle = false
  /** Whether it is recording how a create ended. */
  isSettling = false
  hasStarted = false
  hasEnded = false
  /** A hash of what it received and still remembers: it determines what the actor does next. */
  history: number
  #uuids = 0

  constructor(name: string) {
    this.name = name
    this.history = hashOf(name)
  }

  /** Runs code as this actor. The actor has stopped when there are no more microtasks. */
  run<Result>(begin: () => Result): Result {
    nextIdentifier = () => {
      this.#uuids += 1
      return `${this.name}${this.#uuids}`
    }
    return begin()
  }

  /** Waits until the scheduler takes one of the choices, which must resolve or reject. */
  ask<Value>(choices: () => readonly Choice[]): Promise<Value> {
    return new Promise<Value>((resolve, reject) => {
      this.pending = { choices, resolve: resolve as (value: unknown) => void, reject }
    })
  }

  resolve(value: unknown, seen: string): void {
    this.#goOn(seen, ({ resolve }) => resolve(value))
  }

  reject(error: unknown): void {
    this.#goOn('failed', ({ reject }) => reject(error))
  }

  receive(seen: string | number): void {
    this.history = hashOf(`${this.history} ${seen}`)
  }

  /** Of everything received since then, only the result counts. */
  keepOnly(history: number, result: unknown): void {
    this.history = hashOf(`${history} ${JSON.stringify(result)}`)
  }

  /** From now on it does nothing. */
  end(): void {
    this.hasEnded = true
    this.pending = undefined
  }

  #goOn(seen: string, end: (pending: Pending) => void): void {
    const { pending } = this
    this.pending = undefined
    this.hasStarted = true
    this.isIdle = false
    this.receive(seen)
    if (pending !== undefined) this.run(() => end(pending))
  }
}

let nextIdentifier: () => string = () => ''

/** From now on, random UUIDs come from the running actor: the same in every replay of a schedule. */
export function useOwnIdentifiers(): void {
  Object.defineProperty(globalThis.crypto, 'randomUUID', { value: () => nextIdentifier(), configurable: true })
}
