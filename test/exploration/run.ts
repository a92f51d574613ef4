import { setImmediate } from 'node:timers'
import type { NewRecord } from '../../src/ledger/rules/record.ts'
import { insertRecord } from '../../src/ledger/records.ts'
import { Actor, type Choice, useOwnIdentifiers } from './actor.ts'
import type { Violation } from './books.ts'
import { choicesOf } from './choices.ts'
import { databaseOf } from './database.ts'
import { checkEnd } from './final.ts'
import type { Scenario } from './scenario.ts'
import { DAY_MS } from './service.ts'
import { SCOPE, startWorker } from './worker.ts'
import { START } from './store.ts'
import { World } from './world.ts'

/** How a schedule ended. */
export interface Ended {
  readonly violation: Violation | undefined
  /** The steps that were taken. */
  readonly labels: readonly string[]
}

/** A schedule that is being run: from the start, since a stopped process cannot be copied. */
export class Run {
  readonly world: World
  readonly labels: string[] = []
  faults: number

  private constructor(world: World, faults: number) {
    this.world = world
    this.faults = faults
  }

  /** Every worker is about to make its first call. */
  static async of(scenario: Scenario, faults: number = scenario.faults): Promise<Run> {
    useOwnIdentifiers()
    const world = new World(scenario)
    const { transaction } = databaseOf(
      world.store,
      new Actor('earlier'),
      { now: () => START, startTimer: () => () => {} },
      'at once',
    )
    await transaction(async (tx) => insertRecord(tx, EARLIER))
    for (const [at, job] of scenario.jobs.entries()) {
      startWorker(world, 'abcdefgh'.charAt(at), job)
      await everybodyWaits()
    }
    return new Run(world, faults)
  }

  get choices(): readonly Choice[] {
    return choicesOf(this.world, this.faults)
  }

  get violation(): Violation | undefined {
    return this.world.books.violation
  }

  async take({ label, cost, take }: Choice): Promise<void> {
    this.labels.push(label)
    this.faults -= cost
    take()
    await everybodyWaits()
    if (this.labels.length > MAX_STEPS) this.world.books.report('ended', `${label}, after ${MAX_STEPS} steps`)
  }

  /** Nothing happens any more. */
  async end(): Promise<Ended> {
    if (this.violation === undefined) await checkEnd(this.world)
    return { violation: this.violation, labels: this.labels }
  }
}

/* Longer than any schedule without a loop. */
const MAX_STEPS = 200

/* So that the ledger has seen a time: before its first send, no clock is known to be behind. */
const EARLIER: NewRecord = {
  reference: 'earlier',
  scope: SCOPE,
  emailKey: 'earlier@example.com',
  subjects: ['quiz:quiz'],
  quizId: 'quiz',
  state: 'refused',
  input: { quizId: 'quiz', candidate: { name: 'Earlier', email: 'earlier@example.com' } },
  owner: '',
  leaseUntil: START,
  sentAt: START,
  settledAt: START,
  expiresAt: START + 14 * DAY_MS,
  invites: [],
  results: [],
  history: [{ at: START, what: 'sent' }],
}

/* Only the scheduler lets actors continue: until it does, the microtasks run out. */
function everybodyWaits(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Replays a schedule by its labels. Impossible steps are skipped. */
export async function replay(scenario: Scenario, labels: readonly string[]): Promise<Ended> {
  const run = await Run.of(scenario, Number.POSITIVE_INFINITY)
  for (const wanted of labels) {
    const choice = run.choices.find(({ label }) => label === wanted)
    if (choice !== undefined) await run.take(choice)
    if (run.violation !== undefined) break
  }
  return run.end()
}
