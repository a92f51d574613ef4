import type { NewSend } from '../../src/ledger/rules/record.ts'
import type { Job, Scenario } from './scenario.ts'
import { DAY_MS } from './service.ts'
import { SCOPE, startWorker } from './worker.ts'
import { START, World } from './world.ts'

/** The world at the beginning of a scenario: every worker is about to make its first call. */
export async function worldOf(scenario: Scenario): Promise<World> {
  const world = new World(scenario)
  /* So that the ledger has seen a time: before its first send, no clock is known to be behind. */
  world.store.add(earlierSend(), 0)
  for (const [at, job] of scenario.jobs.entries()) await addWorker(world, 'abcdefgh'.charAt(at), job)
  return world
}

export async function addWorker(world: World, name: string, job: Job): Promise<void> {
  world.jobs.set(name, job)
  await world.addActor(name, (actor) => startWorker(world, actor, job))
}

function earlierSend(): NewSend {
  return {
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
    named: [],
  }
}
