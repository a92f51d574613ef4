import { type Arbitrary, array, constant, constantFrom, nat, oneof, record } from 'fast-check'
import type { MockServer } from '../../mock-server/contract/mock-server.ts'
import type { BehaviourSwitches, MockServerOptions } from '../../mock-server/generated/contract.ts'
import type { Quiz } from '../../mock-server/world/model.ts'
import { ask, CREATE, CREATE_PACKAGE, listTracks } from './calls.ts'

/** One thing that a caller, a candidate or a tester does. Invites are named by the order of their creation. */
export type Step =
  | { do: 'invite'; email: string; quizId: string; mail: boolean | null; hook: string | null; reference: string | null }
  | { do: 'invite package'; email: string; packageId: string; mail: boolean | null; hook: string | null }
  | { do: 'act'; act: Act; invite: number }
  | { do: 'certify' | 'attempt'; email: string; quizId: string }
  | { do: 'enable' | 'disable'; quizId: string }
  | { do: 'advance'; byMs: number }
  | { do: 'list' }

/** What a candidate does with an invite; the last two claim an offer. */
export type Act = 'start' | 'pass' | 'fail' | 'abandon' | 'retake' | 'level-up'

export type RuleSwitches = Pick<
  BehaviourSwitches,
  'candidateIdentity' | 'certificationValidity' | 'disabledQuizLinks' | 'pendingInvite' | 'runningAttempt'
>

export const NOW = '2028-02-27T09:30:00.000Z'
export const DAY_MS = 24 * 60 * 60 * 1000

/** Few quizzes, so that what is done in a history meets itself. */
export const QUIZZES: readonly Quiz[] = [
  quiz('bread-1', 'Bread', 'BEGINNER'),
  quiz('bread-2', 'Bread', 'INTERMEDIATE'),
  quiz('bread-2-rye', 'Bread', 'INTERMEDIATE'),
  quiz('cake-1', 'Cake', 'BEGINNER'),
]
export const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  basics: ['bread-1', 'cake-1'],
  further: ['bread-2'],
}
export const EMAILS = [
  'ada@example.com',
  'Ada@example.com',
  'retake@candidate.test',
  'level-up@candidate.test',
  'abandon+1@candidate.test',
  'bounce@candidate.test',
  'lost@candidate.test',
]

const emails = constantFrom(...EMAILS)
const quizIds = constantFrom(...QUIZZES.map(({ id }) => id))
const packageIds = constantFrom(...Object.keys(PACKAGES))
const mail = constantFrom(true, true, false, null)
const hook = constantFrom('https://app.example/hook', 'https://other.example/hook', null)
const reference = constantFrom('application-7', null)
const acts = constantFrom<Act[]>('start', 'pass', 'fail', 'abandon', 'retake', 'level-up')
const spans = constantFrom(1, 1000, 3000, 13 * DAY_MS, 14 * DAY_MS - 1, 14 * DAY_MS, 731 * DAY_MS)

/** Any history of so many steps at most. */
export function histories(maxLength: number): Arbitrary<Step[]> {
  const step = oneof(
    {
      weight: 5,
      arbitrary: record({ do: constant('invite' as const), email: emails, quizId: quizIds, mail, hook, reference }),
    },
    {
      weight: 3,
      arbitrary: record({ do: constant('invite package' as const), email: emails, packageId: packageIds, mail, hook }),
    },
    { weight: 9, arbitrary: record({ do: constant('act' as const), act: acts, invite: nat(20) }) },
    { weight: 1, arbitrary: record({ do: constantFrom('certify', 'attempt'), email: emails, quizId: quizIds }) },
    { weight: 2, arbitrary: record({ do: constantFrom('enable', 'enable', 'disable'), quizId: quizIds }) },
    { weight: 4, arbitrary: record({ do: constant('advance' as const), byMs: spans }) },
    { weight: 1, arbitrary: constant({ do: 'list' as const }) },
  )
  return array(step, { maxLength, size: 'max' })
}

/** Any setting of the switches that the rules hang on. */
export const behaviours: Arbitrary<RuleSwitches> = record<RuleSwitches>({
  candidateIdentity: constantFrom('normalised-email', 'exact-email'),
  certificationValidity: constantFrom('two-years', '10d', 'never-expires'),
  disabledQuizLinks: constantFrom('stay-open', 'withdrawn'),
  pendingInvite: constantFrom('allow', 'refuse', 'return-existing'),
  runningAttempt: constantFrom('continues', 'ends'),
})

/** The options of a mock on these quizzes; its callbacks are acknowledged at once. */
export function optionsWith(behaviour: Partial<BehaviourSwitches>): MockServerOptions {
  const packageOf = ([id, skills]: [string, readonly string[]], level: Quiz['level']) => {
    return { id, name: id, level, description: '', quizIds: skills }
  }
  const [basics, further] = Object.entries(PACKAGES)
  if (!basics || !further) throw new Error('two packages are needed')
  const packages = [packageOf(basics, 'BEGINNER'), packageOf(further, 'INTERMEDIATE')]
  return {
    now: NOW,
    behaviour,
    world: { quizzes: QUIZZES, tracks: [{ id: 'baking', name: 'Baking', slug: 'baking', packages }] },
    callbacks: { deliver: () => new Response(null, { status: 204 }) },
  }
}

/** Does one step, and tells what came of it: `ok`, the numbers of the invites, what is listed, or the code of a refusal. */
export async function play(mock: MockServer, step: Step): Promise<string> {
  const outcome = await outcomeOf(mock, step)
  await mock.settle()
  return outcome
}

async function outcomeOf(mock: MockServer, step: Step): Promise<string> {
  switch (step.do) {
    case 'invite': {
      const { email, quizId, mail: sendInviteEmail, hook: callbackUrl, reference: externalReference } = step
      return created(mock, CREATE, { quizId, candidate: { email }, sendInviteEmail, callbackUrl, externalReference })
    }
    case 'invite package': {
      const { email, packageId, mail: sendInviteEmail, hook: callbackUrl } = step
      return created(mock, CREATE_PACKAGE, { packageId, candidate: { email }, sendInviteEmail, callbackUrl })
    }
    case 'list':
      return (await listTracks(mock)).flatMap(({ packages }) => packages.map(({ id }) => id)).join()
    case 'advance':
      await mock.clock.advance(step.byMs)
      return 'ok'
    case 'enable':
      return attempted(() => mock.enableQuiz(step.quizId))
    case 'disable':
      return attempted(() => mock.disableQuiz(step.quizId))
    case 'certify':
      return attempted(() => mock.candidate(step.email).certify(step.quizId))
    case 'attempt':
      return attempted(() => mock.candidate(step.email).startAttempt(step.quizId))
    case 'act':
      break
  }
  const invite = mock.invites[step.invite]
  return invite ? attempted(() => actOn(mock, invite.inviteId, step.act)) : 'no such invite'
}

function actOn(mock: MockServer, inviteId: string, act: Act): void {
  const challenge = mock.open(inviteId)
  if (act === 'retake' || act === 'level-up') challenge.claim(act)
  else challenge[act]()
}

async function created(mock: MockServer, document: string, input: object): Promise<string> {
  const { body } = await ask(mock, document, { input })
  const code = body?.errors?.[0]?.extensions?.code
  if (code !== undefined) return code
  const numbers = new Map(mock.invites.map(({ inviteId }, index) => [inviteId, index]))
  const [data] = Object.values(body?.data ?? {}) as { inviteId: string; invites?: { inviteId: string }[] }[]
  return (data?.invites ?? (data ? [data] : [])).map(({ inviteId }) => numbers.get(inviteId)).join()
}

function attempted(act: () => void): string {
  try {
    act()
    return 'ok'
  } catch (error) {
    if (error instanceof Error && 'code' in error) return String(error.code)
    throw error
  }
}

function quiz(id: string, skillName: string, level: Quiz['level']): Quiz {
  return { id, skillName, level, ready: true, durationMinutes: 20, enabledLanguages: ['en'], conceptsTested: [] }
}
