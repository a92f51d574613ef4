import type { Choice } from './actor.ts'
import { randomFrom } from './hash.ts'
import { type Found, shortened } from './report.ts'
import { Run } from './run.ts'
import type { Scenario } from './scenario.ts'

/** The result of an exploration. */
export interface Explored extends Counts {
  readonly seconds: number
  /** A minimal schedule: no step can be left out. */
  readonly found: Found | undefined
}

interface Counts {
  states: number
  /** The number of schedules that were run. */
  schedules: number
  /** The number of steps of the longest one. */
  depth: number
}

/**
 * Runs every interleaving of a scenario: first the one that always takes the first choice, then those that differ from
 * it once, and so on. A state that was seen before is not continued, unless more faults are left. In each state, every
 * process may have crashed: it is also checked as an end.
 *
 * @param isReversed the last choice is the first one
 */
export function exploreAll(scenario: Scenario, isReversed = false): Promise<Explored> {
  const ordered = ({ choices }: Run) => (isReversed ? choices.toReversed() : choices)
  const seen = new Map<number, number>()
  const ends = new Set<number>()
  return timed(async (counts) => {
    for (let paths: Path[] = [undefined], others: Path[] = []; paths.length > 0; paths = others, others = []) {
      for (const path of paths) {
        counts.schedules += 1
        const run = await continued(path, others)
        counts.states = seen.size
        counts.depth = Math.max(counts.depth, run.labels.length)
        if (run.violation !== undefined) return { ...run.violation, scenario, labels: run.labels }
      }
    }
    return undefined
  })

  /* Runs a schedule to its end, or to a state that was seen before, and adds the schedules that differ from it once. */
  async function continued(start: Path, others: Path[]): Promise<Run> {
    const run = await follow(scenario, start, ordered)
    for (let path = start; ; path = { before: path, at: 0 }) {
      const state = run.world.hash()
      if (run.violation !== undefined || (seen.get(state) ?? -1) >= run.faults) return run
      seen.set(state, run.faults)
      const end = run.world.endHash()
      const { violation } = ends.has(end) ? run : await run.end()
      ends.add(end)
      const choices = ordered(run)
      if (violation !== undefined || choices[0] === undefined) return run
      for (let at = 1; at < choices.length; at += 1) others.push({ before: path, at })
      await run.take(choices[0])
    }
  }
}

/* The index of a choice, and the ones before it. */
type Path = { readonly before: Path; readonly at: number } | undefined

async function follow(scenario: Scenario, path: Path, ordered: (run: Run) => readonly Choice[]): Promise<Run> {
  const run = await Run.of(scenario)
  const steps: number[] = []
  for (let at = path; at !== undefined; at = at.before) steps.push(at.at)
  for (const at of steps.toReversed()) {
    const choice = ordered(run)[at]
    if (choice === undefined) throw new Error('a schedule does not repeat')
    await run.take(choice)
  }
  return run
}

/** Runs random schedules to their ends. */
export function exploreRandom(all: readonly Scenario[], seed: number, count: number): Promise<Explored> {
  return timed(async (counts) => {
    while (counts.schedules < count) {
      const scenario = all[counts.schedules % all.length]
      if (scenario === undefined) break
      const run = await Run.of(scenario)
      const random = randomFrom(seed + counts.schedules)
      for (let choices = run.choices; choices.length > 0 && run.violation === undefined; { choices } = run) {
        /* Most steps are ordinary ones, or every schedule would be over before anything was sent. */
        const cost = random() < 0.25 ? 1 : 0
        const wanted = choices.filter((choice) => choice.cost === cost)
        const some = wanted.length > 0 ? wanted : choices
        const choice = some[Math.floor(random() * some.length)]
        if (choice !== undefined) await run.take(choice)
      }
      const { violation, labels } = await run.end()
      counts.schedules += 1
      counts.depth = Math.max(counts.depth, labels.length)
      if (violation !== undefined) return { ...violation, scenario, labels }
    }
    return undefined
  })
}

async function timed(explore: (counts: Counts) => Promise<Found | undefined>): Promise<Explored> {
  const began = performance.now()
  const { stackTraceLimit } = Error
  /* Stack traces for this many errors would take much of the time. */
  Error.stackTraceLimit = 0
  try {
    const counts: Counts = { states: 0, schedules: 0, depth: 0 }
    const found = await explore(counts)
    return { ...counts, seconds: (performance.now() - began) / 1000, found: found && (await shortened(found)) }
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}
