import { createLedger } from '../../src/ledger/ledger.ts'
import type { Ledger } from '../../src/ledger/rules/ledger-types.ts'
import { Actor } from './actor.ts'
import { Books } from './books.ts'
import { databaseOf } from './database.ts'
import { hashOf } from './hash.ts'
import type { Job, Scenario } from './scenario.ts'
import { type CreateRequest, Service } from './service.ts'
import { Store } from './store.ts'

/** Everything in one schedule: the database, the service, the clocks, and the actors. */
export class World {
  readonly scenario: Scenario
  readonly store: Store = new Store()
  readonly service: Service
  readonly books: Books
  readonly actors: Actor[] = []
  /** The jobs of the workers, by actor name. */
  readonly jobs = new Map<string, Job>()

  constructor(scenario: Scenario) {
    this.scenario = scenario
    this.service = new Service(scenario.withoutExpiry === true)
    this.books = new Books(this)
  }

  /** The service executes what has arrived. */
  execute(request: CreateRequest, phase: CreateRequest['phase']): void {
    request.phase = phase
    this.books.executed(this.service.execute(request, this.store.now))
  }

  addActor(name: string, start: (actor: Actor) => Promise<void>): void {
    const actor = new Actor(name)
    this.actors.push(actor)
    actor.run(() => {
      void start(actor).finally(() => actor.end())
    })
  }

  /** The process is gone, and its connection with it. */
  stop(actor: Actor): void {
    actor.end()
    this.store.unlock(actor)
  }

  /** The ledger of an actor, as in a process of its own. */
  ledgerOf(actor: Actor, aheadMs = 0): Ledger {
    const { store, books, scenario } = this
    const clock = {
      now: () => {
        const now = store.now + aheadMs
        actor.receive(now)
        return now
      },
      startTimer: (_ms: number, ring: () => void) => {
        /* It looks again only once something has changed, but records again at once. */
        const seen = actor.isSettling ? undefined : store.state()
        actor.receive(seen ?? 'failed')
        actor.isIdle = !actor.isSettling
        const again = {
          label: `${actor.name} ${actor.isSettling ? 'records' : 'claims'} again`,
          cost: 0,
          take: () => actor.resolve(undefined, ''),
        } as const
        void actor.ask(() => (store.state() === seen ? [] : [again])).then(ring)
        return () => {}
      },
    }
    const steps = scenario.isSerial === true ? 'transactions' : 'statements'
    return createLedger(
      databaseOf(store, actor, clock, steps, (before, readAt) => books.committed(actor, before, readAt)),
    )
  }

  /** A hash of everything that determines the end state if every process stops here. */
  endHash(): number {
    return hashOf(`${this.store.rows()} ${this.service.books()} ${this.store.now} ${this.books.state()}`)
  }

  /**
   * A hash of everything that determines what can happen. What an actor has locked and written follows from its
   * history.
   */
  hash(): number {
    const { store, service, books } = this
    const actors = this.actors.map(({ name, hasEnded, history }) => `${name}${hasEnded ? '.' : history}`).toSorted()
    return hashOf(`${store.state()} ${store.wasBehind} ${service.state()} ${books.state()} ${actors.join()}`)
  }
}
