import { expect, test } from 'vitest'
import { replay } from './run.ts'
import type { Job, Scenario } from './scenario.ts'

/*
 * Schedules that once broke a rule. A violation found by the exploration is printed with its steps, for this file. The
 * mutants in `mutants.mjs` are not repeated here.
 */

const quiz: Job = { email: 'ada@example.com', quizId: 'quiz' }
const bob: Job = { ...quiz, email: 'bob@example.com' }
const LOCK = 'locks candidate ada@example.com and'
const A_CLAIMS = [`a ${LOCK} reads the time`, 'a reads the candidate']

interface Schedule extends Pick<Scenario, 'jobs' | 'withoutExpiry'> {
  readonly rule: string
  readonly steps: readonly string[]
}

const SCHEDULES: readonly Schedule[] = [
  {
    rule: 'a claim ends if its own send was resolved before it learned that the send was recorded',
    jobs: [quiz],
    steps: [
      ...A_CLAIMS,
      'a commits: committed, and nobody knows',
      'every lease passes',
      'a person finds a1 not created',
      `person-a1 ${LOCK} finds the send`,
      'person-a1 reads the time',
      'person-a1 reads the send',
      'person-a1 commits',
      ...A_CLAIMS,
    ],
  },
  {
    rule: 'a claim whose own send is later than the clock does not send: its link would seem to expire too early',
    jobs: [quiz],
    withoutExpiry: true,
    steps: [
      ...A_CLAIMS,
      'a commits: committed, and nobody knows',
      "the ledger's clock goes back by 20 days",
      ...A_CLAIMS,
    ],
  },
  {
    rule: 'a response with an invite that an event has named for another candidate is not recorded',
    jobs: [quiz, bob],
    steps: [
      ...A_CLAIMS,
      'a commits',
      'the service executes the create of a',
      'b locks candidate bob@example.com and reads the time',
      'b reads the candidate',
      'b commits',
      'the service executes the create of b',
      'an event about a1 comes',
      ...settles('event-a1', 'ada'),
      'b receives the answer to a1',
      ...settles('b', 'bob'),
    ],
  },
]

test.each(SCHEDULES)('$rule', async ({ steps, ...scenario }) => {
  const { violation, labels } = await replay({ name: '', faults: 2, ...scenario }, steps)
  expect(violation).toBeUndefined()
  /* Every step was possible. */
  expect(labels).toEqual(steps)
})

function settles(name: string, candidate: string): readonly string[] {
  return [
    `${name} locks candidate ${candidate}@example.com and locks invite inv-a1 and finds the send`,
    `${name} reads the time`,
    `${name} reads the send`,
    `${name} reads the other sends with its invites`,
    `${name} commits`,
  ]
}
