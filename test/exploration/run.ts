import { useOwnIdentifiers } from './actor.ts'
import type { Violation } from './books.ts'
import { type Choice, choicesOf } from './choices.ts'
import { checkEnd } from './final.ts'
import type { Scenario } from './scenario.ts'
import { worldOf } from './start.ts'
import type { World } from './world.ts'

/** What a schedule ended with. */
export interface Ended {
  readonly violation: Violation | undefined
  /** What happened. */
  readonly labels: readonly string[]
}

/** A schedule that is being run: from the start, since a process that was stopped cannot be copied. */
export class Run {
  readonly world: World
  readonly labels: string[] = []
  faults: number

  private constructor(world: World) {
    this.world = world
    this.faults = world.scenario.faults
  }

  static async of(scenario: Scenario): Promise<Run> {
    useOwnIdentifiers()
    return new Run(await worldOf(scenario))
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
    await take()
    if (this.labels.length > MOST_STEPS) this.world.books.report('ended', `${label}, after ${MOST_STEPS} steps`)
  }

  /** Nobody does anything any more. */
  async end(): Promise<Ended> {
    if (this.violation === undefined) await checkEnd(this.world)
    return { violation: this.violation, labels: this.labels }
  }
}

/* Longer than any schedule without a loop. */
const MOST_STEPS = 200

/** Runs a schedule by its labels. What cannot happen is left out. */
export async function replay(scenario: Scenario, labels: readonly string[]): Promise<Ended> {
  const run = await Run.of({ ...scenario, faults: Number.POSITIVE_INFINITY })
  for (const wanted of labels) {
    const choice = run.choices.find(({ label }) => label === wanted)
    if (choice !== undefined) await run.take(choice)
    if (run.violation !== undefined) break
  }
  return run.end()
}
