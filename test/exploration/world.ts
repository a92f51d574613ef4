import { createLedger } from '../../src/ledger/store/create-ledger.ts'
import type { Ledger } from '../../src/ledger/rules/ledger.ts'
import { Actor } from './actor.ts'
import { Books } from './books.ts'
import { storeOf } from './connection.ts'
import { hashOf } from './hash.ts'
import { MemoryStore } from './memory-store.ts'
import type { Job, Scenario } from './scenario.ts'
import { Service } from './service.ts'

/** When every schedule begins. */
export const START: number = Date.parse('2030-01-01T00:00:00Z')

/** Everything of one schedule: the store, the service, the clocks, and who runs. */
export class World {
  readonly scenario: Scenario
  readonly store: MemoryStore
  readonly service: Service
  readonly books: Books
  readonly actors: Actor[] = []
  /** The jobs of the workers, by the name of their actors. */
  readonly jobs = new Map<string, Job>()
  /** Who has come: persons, events, and `clock` for a step of the ledger's clock. */
  readonly visited = new Set<string>()
  /** The true time. */
  now = START
  /** How far the clock of the store is behind. */
  behindMs = 0

  constructor(scenario: Scenario) {
    this.scenario = scenario
    this.store = new MemoryStore(() => this.storeTime)
    this.service = new Service(scenario.withoutExpiry === true)
    this.books = new Books(this)
  }

  get storeTime(): number {
    return this.now - this.behindMs
  }

  async addActor(name: string, start: (actor: Actor) => Promise<void>): Promise<void> {
    const actor = new Actor(name)
    this.actors.push(actor)
    await actor.run(() => {
      void start(actor).finally(() => actor.end())
    })
  }

  /** The ledger of an actor, as in a process of its own. */
  ledgerOf(actor: Actor, aheadMs = 0): Ledger {
    return createLedger(storeOf(this, actor), {
      now: () => {
        const now = this.now + aheadMs
        actor.receive(now)
        return now
      },
      startTimer: (_ms, ring) => {
        actor.beginWait(this.seen)
        void actor.ask({ what: 'claims again', kind: 'pause', run: () => undefined }).then(ring)
        return () => {}
      },
    })
  }

  /** What a waiting claim would notice. */
  get seen(): string {
    return `${this.store.writes} ${this.storeTime} ${this.now}`
  }

  /** A hash of everything that decides what is found if everybody stops. */
  endHash(): number {
    return hashOf(`${this.store.hash()} ${this.service.books()} ${this.now} ${this.books.state()}`)
  }

  /** A hash of everything that decides what can happen. */
  hash(): number {
    const actors = this.actors.map(
      (actor) =>
        `${actor.name}${actor.hasEnded ? '.' : actor.history}${actor.pending?.kind === 'pause' ? actor.seen === this.seen : ''}`,
    )
    return hashOf(
      `${this.store.hash()} ${this.service.state()} ${this.now} ${this.behindMs} ${actors.join()} ${this.books.state()} ${Array.from(this.visited).join()}`,
    )
  }
}
