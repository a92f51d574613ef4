/** What one process does: it calls `create` for a candidate, and again after each error, as a naive queue would. */
export interface Job {
  readonly email: string
  readonly quizId?: string
  readonly packageId?: string
  /** How often the queue delivers it. Default: 1. */
  readonly deliveries?: number
  readonly ifUnknown?: 'refuse' | 'create'
  readonly ifInvited?: 'refuse' | 'create'
  /** An explicit reference, the same in every delivery. */
  readonly reference?: string
  /** How far its machine's clock is ahead, in milliseconds. */
  readonly clockAheadMs?: number
}

/** What is explored together. Interchangeable workers share the same job object. */
export interface Scenario {
  readonly name: string
  readonly jobs: readonly Job[]
  /** The number of faults and interruptions: a loss, an expired lease, a person, an event. */
  readonly faults: number
  /** A transaction is one step, as in SQLite. Otherwise each statement is one, as in Postgres. */
  readonly isSerial?: boolean
  /** The service returns no expiry. */
  readonly withoutExpiry?: boolean
  /** Processes also crash as a step of their own, and their jobs are redelivered. */
  readonly crashes?: boolean
}

/** The quizzes of each package. */
export const PACKAGES: Readonly<Record<string, readonly string[]>> = { pack: ['quiz', 'more'] }

const DAY_MS = 24 * 60 * 60_000
const quiz: Job = { email: 'ada@example.com', quizId: 'quiz' }
const bob: Job = { ...quiz, email: 'bob@example.com' }
const pack: Job = { email: 'ada@example.com', packageId: 'pack' }
const named: Job = { ...quiz, reference: 'job' }
const twice: Job = { ...quiz, deliveries: 2 }
const anyway: Job = { ...quiz, ifInvited: 'create', ifUnknown: 'create' }
const behind: Job = { ...quiz, clockAheadMs: -20 * DAY_MS }

/** The scenarios of which every interleaving is run. Each additional fault makes one five to ten times as large. */
export function scenarios(isLong: boolean): readonly Scenario[] {
  const of = (name: string, jobs: readonly Job[], short: number, long: number): Scenario => ({
    name,
    jobs,
    faults: isLong ? long : short,
  })
  return [
    of('one worker', [quiz], 2, 4),
    of('one worker, two deliveries', [twice], 2, 3),
    of('two workers', [quiz, quiz], 2, 3),
    of('two workers, two deliveries each', [twice, twice], 1, 2),
    of('two workers, one reference', [named, named], 1, 2),
    of('one reference, three deliveries', [{ ...named, deliveries: 3 }], 2, 3),
    of('two workers, one sends in spite of an unknown', [quiz, { ...quiz, ifUnknown: 'create' }], 1, 2),
    of('two workers, both send in any case', [anyway, anyway], 1, 2),
    of('two candidates', [quiz, bob], 1, 2),
    of('two candidates, one reference', [named, { ...bob, reference: 'job' }], 1, 2),
    of(
      'two candidates, one reference, two deliveries',
      [
        { ...named, deliveries: 2 },
        { ...bob, reference: 'job' },
      ],
      1,
      2,
    ),
    of('a quiz and its package', [quiz, pack], 1, 2),
    { ...of('no expiry, and a worker whose clock is behind', [behind, quiz], 1, 2), withoutExpiry: true },
    of('three workers', [quiz, quiz, quiz], 1, 2),
    of('three workers, two candidates', [quiz, quiz, bob], 0, 1),
    { ...of('one reference, and a person in between', [named, named], 3, 3), isSerial: true },
    { ...of('three workers, a transaction is one step', [quiz, quiz, quiz], 1, 3), isSerial: true },
  ]
}

/** The scenarios for random schedules: more of everything. */
export const RANDOM: readonly Scenario[] = [
  random('three deliveries each', [quiz, bob, quiz]),
  random('one reference', [named, named, named]),
  random('packages', [quiz, pack, { ...quiz, quizId: 'more' }]),
  random('callers who send in any case', [quiz, anyway, { ...quiz, ifUnknown: 'create' }]),
  { ...random('no expiry, wrong clocks', [behind, { ...quiz, clockAheadMs: 20 * DAY_MS }, quiz]), withoutExpiry: true },
]

function random(name: string, jobs: readonly Job[]): Scenario {
  return { name, jobs: jobs.map((job) => ({ ...job, deliveries: 3 })), faults: 8, crashes: true }
}
