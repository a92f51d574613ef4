import { beginAttempt, endInvite, passQuiz, startInvite } from './attempts.ts'
import { millisecondsOf } from './clock.ts'
import { claimFollowUp, offerOf } from './follow-ups.ts'
import { BETWEEN_ACTS_MS } from './email-addresses.ts'
import type { WorldData } from '../generated/contract.ts'
import type { AttemptAct, CandidateAct } from './model.ts'
import { Refusal } from './refusal.ts'
import { World, type WorldSettings } from './world.ts'

/** Makes a world, and adds the histories of its candidates. */
export function createWorld(settings: WorldSettings): World {
  const world = new World(settings)
  addHistories(world)
  return world
}

/** Resets a world to its beginning, or begins with other data: rows, identifiers, clock and histories. */
export function resetWorld(world: World, data?: WorldData): void {
  world.reset(data)
  addHistories(world)
}

/** What a candidate can do with an attempt: how it ends then, and how the control API and the pages call it. */
export const ATTEMPT_ACTS = {
  start: { ends: null, means: 'starts the attempt', label: 'Start', done: 'Attempt started' },
  pass: { ends: 'PASSED', means: 'passes', label: 'Pass', done: 'Passed' },
  fail: { ends: 'FAILED', means: 'fails', label: 'Fail', done: 'Failed' },
  abandon: { ends: 'ABANDONED', means: 'gives up', label: 'Abandon', done: 'Attempt abandoned' },
} as const

export const ATTEMPT_ACT_NAMES = Object.keys(ATTEMPT_ACTS) as readonly AttemptAct[]

/** An action of a candidate on an invite. Throws a {@link Refusal} if it is not possible. */
export function act(world: World, inviteId: string, action: CandidateAct): void {
  const invite = world.inviteOf(inviteId)
  if (action === 'claim') {
    claimFollowUp(world, invite, offerOf(world, invite)?.kind ?? 'retake')
    return
  }
  const { ends } = ATTEMPT_ACTS[action]
  if (ends === null) startInvite(world, invite)
  else endInvite(world, invite, ends)
}

/** The actions that candidates with magic addresses take on their own. */
export class PlannedActions {
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  /** When the next action is due; `null` if there is none. */
  dueAt(): number | null {
    return this.#world.state.plans[0]?.at ?? null
  }

  /** Takes every action that is due. One that is no longer possible is skipped, and so are those after it. */
  runDue(): void {
    const { clock } = this.#world
    const { plans } = this.#world.state
    while (plans[0] && plans[0].at <= clock.now()) {
      const { inviteId, acts } = plans[0]
      plans.shift()
      const [action, ...rest] = acts
      if (action && this.#isDone(inviteId, action) && rest.length > 0) {
        plans.push({ at: clock.now() + BETWEEN_ACTS_MS, inviteId, acts: rest })
      }
    }
  }

  #isDone(inviteId: string, action: CandidateAct): boolean {
    try {
      act(this.#world, inviteId, action)
      return true
    } catch (error) {
      if (error instanceof Refusal) return false
      throw error
    }
  }
}

function addHistories(world: World): void {
  const beginning = world.clock.now()
  const timeOf = (moment?: string): number => (moment === undefined ? beginning : millisecondsOf(moment))
  for (const { email, certifications = [], attempts = [] } of world.histories) {
    for (const { quizId, passedAt } of certifications) passQuiz(world, email, quizId, timeOf(passedAt))
    for (const { quizId, startedAt } of attempts) beginAttempt(world, email, quizId, { startedAt: timeOf(startedAt) })
  }
}
