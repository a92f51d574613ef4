import { expect, test } from 'vitest'
import { replay } from './run.ts'
import type { Job } from './scenario.ts'

/* Schedules that once broke a rule. A violation of the exploration is printed as a test for this file. */

const quiz: Job = { email: 'ada@example.com', quizId: 'quiz' }
const behind: Job = { ...quiz, clockAheadMs: -20 * 24 * 60 * 60_000 }

test('a claim that learns only after its lease that it was recorded may not send', async () => {
  const { violation, labels } = await replay({ name: 'two workers', jobs: [quiz, quiz], faults: 2 }, [
    'a reads the candidate',
    'a adds its send: recorded, and nobody knows',
    'every lease passes',
    'b reads the candidate',
    'b reads the send a2',
    'b replaces the send a2',
    'a reads the send a2',
    'a reads the candidate',
  ])
  expect(violation).toBeUndefined()
  /* It has been refused by then. */
  expect(labels).toHaveLength(7)
})

test('a claim ends if somebody has resolved its own send before it learns that it was recorded', async () => {
  const { violation, labels } = await replay({ name: 'one worker', jobs: [quiz], faults: 3 }, [
    'a reads the candidate',
    'a adds its send: recorded, and nobody knows',
    'every lease passes',
    'a person finds a2 not created',
    'person-a2 reads the send a2',
    'person-a2 replaces the send a2',
    'person-a2 reads the send a2',
    'person-a2 replaces the send a2',
    'a reads the send a2',
    'a reads the candidate',
    'a adds its send',
  ])
  expect(violation).toBeUndefined()
  /* It has been refused by then. */
  expect(labels).toHaveLength(9)
})

test('a finding that was recorded is not refused because its answer was lost', async () => {
  const { violation, labels } = await replay({ name: 'one worker', jobs: [quiz], faults: 3 }, [
    'a reads the candidate',
    'a adds its send',
    'every lease passes',
    'a person finds a2 not created',
    'person-a2 reads the send a2',
    'person-a2 replaces the send a2',
    'person-a2 reads the send a2',
    'person-a2 replaces the send a2: recorded, and nobody knows',
    'person-a2 reads the send a2',
  ])
  expect(violation).toBeUndefined()
  expect(labels).toHaveLength(9)
})

test('an invite without expiry blocks, also if the clock of its sender is behind', async () => {
  const { violation, labels } = await replay(
    { name: 'no expiry', jobs: [behind, quiz], faults: 0, withoutExpiry: true },
    [
      'a reads the candidate',
      'a adds its send',
      'the service executes the create of a',
      'a receives its answer',
      'a reads the send a2',
      'a replaces the send a2',
    ],
  )
  expect(violation).toBeUndefined()
  expect(labels).toHaveLength(6)
})

test("an invite without expiry blocks, also if the ledger's clock went back before its answer came", async () => {
  const { violation, labels } = await replay({ name: 'no expiry', jobs: [quiz], faults: 1, withoutExpiry: true }, [
    'a reads the candidate',
    'a adds its send',
    'the service executes the create of a',
    'a receives its answer',
    "the ledger's clock goes back by 20 days",
    'a reads the send a2',
    'a replaces the send a2',
  ])
  expect(violation).toBeUndefined()
  expect(labels).toHaveLength(7)
})

test('an answer with an invite that an event has named for another candidate is not recorded', async () => {
  const bob: Job = { ...quiz, email: 'bob@example.com' }
  const { violation, labels } = await replay({ name: 'two candidates', jobs: [quiz, bob], faults: 2 }, [
    'a reads the candidate',
    'a adds its send',
    'the service executes the create of a',
    'b reads the candidate',
    'b adds its send',
    'the service executes the create of b',
    'an event about a2 comes',
    'event-a2 reads the send a2',
    'event-a2 replaces the send a2',
    'b receives the answer to a2',
    'b reads the send b2',
    'b replaces the send b2',
  ])
  expect(violation).toBeUndefined()
  expect(labels).toHaveLength(12)
})

test('a claim whose own send is later than the clock does not send: its link would seem to expire too early', async () => {
  const { violation } = await replay(
    {
      name: 'no expiry, wrong clocks',
      jobs: [
        { email: 'ada@example.com', quizId: 'quiz', clockAheadMs: -1_728_000_000 },
        { email: 'ada@example.com', quizId: 'quiz', clockAheadMs: 1_728_000_000 },
        { email: 'ada@example.com', quizId: 'quiz', deliveries: 2 },
      ],
      faults: 8,
      crashes: true,
      withoutExpiry: true,
    },
    [
      'b reads the candidate',
      'b adds its send: recorded, and nobody knows',
      'b reads the send b2',
      '15 days pass',
      "the ledger's clock goes back by 20 days",
      'b reads the candidate',
      'the service executes the create of b',
      'b receives its answer',
      'b reads the send b2',
      'b replaces the send b2',
    ],
  )
  expect(violation).toBeUndefined()
})

test('what cannot happen is left out of a schedule', async () => {
  const { labels } = await replay({ name: 'one worker', jobs: [quiz], faults: 0 }, [
    'b adds its send',
    'a reads the candidate',
  ])
  expect(labels).toEqual(['a reads the candidate'])
})
