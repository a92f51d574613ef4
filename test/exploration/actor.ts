import { hashOf } from './hash.ts'

/** A call that waits until the scheduler decides how it ends. */
export interface Pending {
  /** What the actor does, as in `adds its send`. */
  readonly what: string
  readonly kind: 'read' | 'write' | 'create' | 'pause'
  /** Makes the call. For a write: what it resolves with if it was recorded. */
  readonly run: () => unknown
  /** For a write: whether it would change anything now. */
  readonly wouldWrite?: () => boolean
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

/** A process that invites, a person, or an event: the scheduler decides when it goes on, and with what. */
export class Actor {
  readonly name: string
  pending: Pending | undefined
  hasStarted = false
  hasEnded = false
  /** Everything that decides what it does next: a hash of what it received. */
  history = 0
  /** The history without the results of the ledger's call that is running: after that call only its own result counts. */
  mark = 0
  /** The history at the first claim of a create: after a wait it claims again, as if for the first time. */
  claimMark: number | undefined
  /** What it had read of the store when it began to wait. */
  seen = ''
  #uuids = 0
  #claimUuids = 0
  #stop: () => void = () => {}

  constructor(name: string) {
    this.name = name
    this.history = hashOf(name)
    this.mark = this.history
  }

  /** Runs something of this actor until its next call, or its end. */
  async run(begin: () => void): Promise<void> {
    const stopped = new Promise<void>((resolve) => {
      this.#stop = resolve
    })
    makeCurrent(this)
    begin()
    await stopped
  }

  ask<Value>(call: Omit<Pending, 'resolve' | 'reject'>): Promise<Value> {
    return new Promise<Value>((resolve, reject) => {
      this.pending = { ...call, resolve: resolve as (value: unknown) => void, reject }
      this.#stop()
    })
  }

  resolve(value: unknown, seen: string | number): void {
    const { pending } = this
    this.pending = undefined
    this.hasStarted = true
    this.receive(seen)
    pending?.resolve(value)
  }

  reject(error: unknown, seen: string): void {
    const { pending } = this
    this.pending = undefined
    this.hasStarted = true
    this.receive(seen)
    pending?.reject(error)
  }

  end(): void {
    this.hasEnded = true
    this.#stop()
  }

  receive(seen: string | number): void {
    this.history = hashOf(`${this.history} ${seen}`)
  }

  beginClaim(): void {
    this.claimMark ??= this.history
    this.#claimUuids = this.#uuids
  }

  /** A call of the ledger has ended. */
  endCall(result: unknown): void {
    this.history = hashOf(`${this.mark} ${JSON.stringify(result)}`)
    this.mark = this.history
  }

  /** It waits for another one. What it has read does not count any more. */
  beginWait(seen: string): void {
    this.history = hashOf(`${this.claimMark} waits`)
    this.seen = seen
  }

  /** It has waited, and claims again. */
  wake(): void {
    this.history = this.claimMark ?? 0
    this.mark = this.history
    this.#uuids = this.#claimUuids
  }

  uuid(): string {
    this.#uuids += 1
    return `${this.name}${this.#uuids}`
  }
}

let current: Actor | undefined

function makeCurrent(actor: Actor): void {
  current = actor
}

/** From now on, identifiers are those of the actor that runs: the same in every repetition of a schedule. */
export function useOwnIdentifiers(): void {
  const uuid = () => current?.uuid() ?? ''
  Object.defineProperty(globalThis.crypto, 'randomUUID', { value: uuid, configurable: true })
}
