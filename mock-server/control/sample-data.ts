import { type MockChallenge, RECEIVER_HOST } from '../contract/members.ts'
import type { MockServer } from '../contract/mock-server.ts'
import type { CreateInvites, Internals } from '../sandbox/rows.ts'
import type { MockInvite } from '../generated/contract.ts'
import { refuse } from './control-errors.ts'

/** Adds a few invites in different states, by the rules of the service: the same ones each time, and only once. */
export function addSampleData(mock: MockServer, create: CreateInvites, linkBase: string): MockInvite[] {
  if (hasSampleData(mock.invites)) {
    refuse('SAMPLE_EXISTS', 'The sample data already exists.')
  }
  const quizzes = readyQuizzes(mock)
  for (const [index, { name, email, play, reference }] of SAMPLE.entries()) {
    const quizId = quizzes[index % quizzes.length]?.id ?? ''
    const callbackUrl = `https://${RECEIVER_HOST}/hook`
    const request = { quizId, candidate: { name, email }, callbackUrl, externalReference: reference ?? null }
    for (const { inviteId } of create(request, linkBase)) play?.(mock.open(inviteId))
  }
  return mock.invites.filter(isSample)
}

/** The quizzes that can be invited to: at least one. */
function readyQuizzes({ quizzes }: MockServer): MockServer['quizzes'] {
  const ready = quizzes.filter((quiz) => quiz.ready)
  return ready.length > 0 ? ready : refuse('NO_QUIZ', 'This world has no quiz that is READY.')
}

/** A new candidate, who gets no e-mail, passes: the event goes where real ones go. Returns the identifier of the invite. */
export function causeTestEvent(
  mock: MockServer,
  { create, rows }: Internals,
  { callbackUrl, linkBase }: { readonly callbackUrl: string; readonly linkBase: string },
): string {
  const [{ id: quizId } = { id: '' }] = readyQuizzes(mock)
  const candidate = { name: 'Test event', email: `test-event-${rows.invites.all().length + 1}@example.com` }
  const [{ inviteId } = { inviteId: '' }] = create({ quizId, candidate, callbackUrl, sendInviteEmail: false }, linkBase)
  mock.open(inviteId).pass()
  return inviteId
}

export function hasSampleData(invites: readonly Candidacy[]): boolean {
  return invites.some(isSample)
}

function isSample({ candidate }: Candidacy): boolean {
  return SAMPLE_EMAILS.has(candidate.email)
}

type Candidacy = Pick<MockInvite, 'candidate'>

interface Sample {
  readonly name: string
  readonly email: string
  readonly reference?: string
  /** What the candidate does. */
  readonly play?: (challenge: MockChallenge) => void
}

const SAMPLE: readonly Sample[] = [
  { name: 'Ada Lovelace', email: 'ada.lovelace@example.com', reference: 'application-1' },
  { name: 'Grace Hopper', email: 'grace.hopper@example.com', play: (challenge) => challenge.start() },
  {
    name: 'Katherine Johnson',
    email: 'katherine.johnson@example.com',
    reference: 'application-2',
    play: (challenge) => challenge.pass(),
  },
  {
    name: 'Alan Turing',
    email: 'alan.turing@example.com',
    play(challenge) {
      challenge.fail()
      if (challenge.offer === 'retake') challenge.claim('retake')
    },
  },
  { name: 'Edsger Dijkstra', email: 'edsger.dijkstra@example.com', play: (challenge) => challenge.abandon() },
  { name: 'Mary Jackson', email: 'mary.jackson@example.com', play: (challenge) => challenge.fail() },
]

const SAMPLE_EMAILS: ReadonlySet<string> = new Set(SAMPLE.map(({ email }) => email))
