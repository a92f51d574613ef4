/** What one process does: it calls `create` for a candidate, and again after each error, as a careless queue would. */
export interface Job {
  readonly email: string
  readonly quizId?: string
  readonly packageId?: string
  /** How often the queue delivers it. Default: 1. */
  readonly deliveries?: number
  readonly ifUnknown?: 'refuse' | 'create'
  readonly ifInvited?: 'refuse' | 'create'
  /** A reference of its own, the same in every delivery. */
  readonly reference?: string
  /** How far the clock of its machine is ahead, in milliseconds. */
  readonly clockAheadMs?: number
}

/** What is explored together. Workers that are alike have the same object as their job. */
export interface Scenario {
  readonly name: string
  readonly jobs: readonly Job[]
  /** How many times something may go wrong or come in between: a loss, a passed lease, a person, an event. */
  readonly faults: number
  /** The service returns no expiry. */
  readonly withoutExpiry?: boolean
  /** Processes also crash as a step of their own, and their jobs are delivered again. */
  readonly crashes?: boolean
}

export const ADA = 'ada@example.com'
export const BOB = 'bob@example.com'
/** The quizzes of each package. */
export const PACKAGES: Readonly<Record<string, readonly string[]>> = { pack: ['quiz', 'more'] }
const quiz: Job = { email: ADA, quizId: 'quiz' }
const bob: Job = { email: BOB, quizId: 'quiz' }
const DAY_MS = 24 * 60 * 60_000

/** The scenarios of which every interleaving is run. Each fault more makes one five to ten times as large. */
export function scenarios(isLong: boolean): readonly Scenario[] {
  const scenario = (name: string, jobs: readonly Job[], short: number, long: number): Scenario => ({
    name,
    jobs,
    faults: isLong ? long : short,
  })
  const [quizTwice, quizAnyway] = [twice(quiz), anyway(quiz)]
  const inOneName = { ...quiz, reference: 'job' }
  const behind = { ...quiz, clockAheadMs: -20 * DAY_MS }
  return [
    scenario('one worker', [quiz], 2, 5),
    scenario('one worker, two deliveries', [twice(quiz)], 2, 4),
    scenario('two workers', [quiz, quiz], 1, 3),
    scenario('two workers, two deliveries each', [quizTwice, quizTwice], 1, 2),
    scenario('two workers, one reference', [inOneName, inOneName], 1, 3),
    scenario('two workers, one sends in spite of an unknown', [quiz, { ...quiz, ifUnknown: 'create' }], 1, 3),
    scenario('two workers, both send in any case', [quizAnyway, quizAnyway], 1, 3),
    scenario('two candidates', [quiz, bob], 1, 2),
    scenario('a quiz and its package', [quiz, { email: ADA, packageId: 'pack' }], 1, 2),
    { ...scenario('no expiry, and a worker whose clock is behind', [behind, quiz], 1, 2), withoutExpiry: true },
    scenario('three workers', [quiz, quiz, quiz], 0, 2),
    scenario('three workers, two candidates', [quiz, quiz, bob], 0, 1),
  ]
}

/** What random schedules run: more of everything. */
export const RANDOM: readonly Scenario[] = [
  { name: 'three workers, three deliveries each', jobs: [quiz, quiz, quiz].map(thrice), faults: 8, crashes: true },
  { name: 'three workers, two candidates', jobs: [quiz, bob, quiz].map(thrice), faults: 8, crashes: true },
  {
    name: 'three workers, one reference',
    jobs: [quiz, quiz, quiz].map((job) => ({ ...twice(job), reference: 'job' })),
    faults: 8,
    crashes: true,
  },
  {
    name: 'packages',
    jobs: [quiz, { email: ADA, packageId: 'pack' }, { email: ADA, quizId: 'more' }].map(twice),
    faults: 8,
    crashes: true,
  },
  {
    name: 'callers who send in any case',
    jobs: [quiz, anyway(quiz), { ...twice(quiz), ifUnknown: 'create' }],
    faults: 8,
    crashes: true,
  },
  {
    name: 'no expiry, wrong clocks',
    jobs: [{ ...quiz, clockAheadMs: -20 * DAY_MS }, { ...quiz, clockAheadMs: 20 * DAY_MS }, twice(quiz)],
    faults: 8,
    crashes: true,
    withoutExpiry: true,
  },
]

function twice(job: Job): Job {
  return { ...job, deliveries: 2 }
}

function thrice(job: Job): Job {
  return { ...job, deliveries: 3 }
}

function anyway(job: Job): Job {
  return { ...job, ifInvited: 'create', ifUnknown: 'create' }
}
