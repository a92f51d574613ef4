import { RULES, type Violation } from './books.ts'
import { replay } from './run.ts'
import type { Scenario } from './scenario.ts'

/** A broken rule, and a schedule that breaks it. */
export interface Found extends Violation {
  readonly scenario: Scenario
  readonly labels: readonly string[]
}

/** The same violation with fewer steps: none of them can be left out. */
export async function shortened(found: Found): Promise<Found> {
  let shortest = found
  for (let size = Math.ceil(found.labels.length / 2); size >= 1; ) {
    let isShorter = false
    for (let at = 0; at < shortest.labels.length; ) {
      const labels = shortest.labels.toSpliced(at, size)
      const ended = await replay(found.scenario, labels)
      if (ended.violation?.rule === found.rule) {
        shortest = { scenario: found.scenario, labels: ended.labels, ...ended.violation }
        isShorter = true
      } else at += size
    }
    if (size > 1) size = Math.floor(size / 2)
    else if (!isShorter) break
  }
  return shortest
}

/** A violation to print: the steps are those of a schedule in `test/exploration/schedules.test.ts`. */
export function asJson({ rule, details, scenario, labels }: Found): string {
  return JSON.stringify({ rule: RULES[rule], details, scenario, steps: labels }, null, 2)
}
