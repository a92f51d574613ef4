import type { Violation } from './books.ts'
import { randomFrom } from './hash.ts'
import { Run } from './run.ts'
import type { Scenario } from './scenario.ts'

/** What an exploration has seen. */
export interface Explored {
  readonly states: number
  /** How many schedules were run. */
  readonly schedules: number
  /** The steps of the longest one. */
  readonly depth: number
  readonly seconds: number
  readonly found: Found | undefined
}

/** A broken rule, and a schedule that breaks it. */
export interface Found extends Violation {
  readonly scenario: Scenario
  readonly labels: readonly string[]
}

/**
 * Runs every interleaving of a scenario, the shortest first. A state that was seen is not continued again, unless more
 * faults are left. In each state, everybody may have crashed: it is also checked as an end.
 */
export function exploreAll(scenario: Scenario): Promise<Explored> {
  return withoutStacks(() => everyPath(scenario))
}

async function everyPath(scenario: Scenario): Promise<Explored> {
  const began = performance.now()
  const seen = new Map<number, number>()
  const ends = new Set<number>()
  let schedules = 0
  let depth = 0
  const explored = (found?: Found): Explored => ({
    states: seen.size,
    schedules,
    depth,
    seconds: (performance.now() - began) / 1000,
    found,
  })
  let level: Path[] = [undefined]
  while (level.length > 0) {
    const next: Path[] = []
    for (const path of level) {
      schedules += 1
      const run = await follow(scenario, path)
      if (run.violation === undefined) {
        const { choices, faults, world } = run
        const state = world.hash()
        if ((seen.get(state) ?? -1) >= faults) continue
        const isNew = !seen.has(state)
        seen.set(state, faults)
        for (const at of choices.keys()) next.push({ before: path, at })
        const end = world.endHash()
        if (!isNew || ends.has(end)) continue
        ends.add(end)
      }
      const { violation, labels } = await run.end()
      if (violation !== undefined) return explored({ ...violation, scenario, labels })
    }
    level = next
    if (next.length > 0) depth += 1
  }
  return explored()
}

/* Which choice, after which others. */
type Path = { readonly before: Path; readonly at: number } | undefined

async function follow(scenario: Scenario, path: Path): Promise<Run> {
  const run = await Run.of(scenario)
  const steps: number[] = []
  for (let at = path; at !== undefined; at = at.before) steps.push(at.at)
  for (const at of steps.toReversed()) {
    const choice = run.choices[at]
    if (choice === undefined) throw new Error('a schedule does not repeat')
    await run.take(choice)
  }
  return run
}

/** Runs random schedules to their ends. */
export function exploreRandom(all: readonly Scenario[], seed: number, count: number): Promise<Explored> {
  return withoutStacks(() => randomPaths(all, seed, count))
}

async function randomPaths(all: readonly Scenario[], seed: number, count: number): Promise<Explored> {
  const began = performance.now()
  let depth = 0
  const explored = (schedules: number, found?: Found): Explored => ({
    states: 0,
    schedules,
    depth,
    seconds: (performance.now() - began) / 1000,
    found,
  })
  for (let at = 0; at < count; at += 1) {
    const scenario = all[at % all.length]
    if (scenario === undefined) break
    const run = await Run.of(scenario)
    const random = randomFrom(seed + at)
    for (;;) {
      const { choices } = run
      /* Most steps are ordinary ones, or every schedule would be over before anything was sent. */
      const wanted =
        random() < 0.25 ? choices.filter(({ cost }) => cost === 1) : choices.filter(({ cost }) => cost === 0)
      const some = wanted.length > 0 ? wanted : choices
      const choice = some[Math.floor(random() * some.length)]
      if (choice === undefined || run.violation !== undefined) break
      await run.take(choice)
    }
    depth = Math.max(depth, run.labels.length)
    const { violation, labels } = await run.end()
    if (violation !== undefined) return explored(at + 1, { ...violation, scenario, labels })
  }
  return explored(count)
}

/* The traces of so many errors would take much of the time. */
async function withoutStacks<Result>(run: () => Promise<Result>): Promise<Result> {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return await run()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}
