import type { MockServer } from '../contract/mock-server.ts'
import type { Internals } from '../sandbox/rows.ts'
import { refuse } from './control-errors.ts'

/** A new candidate, who gets no e-mail, passes: the event goes where real ones go. Returns the identifier of the invite. */
export function causeTestEvent(
  mock: MockServer,
  { create, rows }: Internals,
  { callbackUrl, linkBase }: { readonly callbackUrl: string; readonly linkBase: string },
): string {
  const { id: quizId } =
    mock.quizzes.find(({ ready }) => ready) ?? refuse('NO_QUIZ', 'This world has no quiz that is READY.')
  const candidate = { name: 'Test event', email: `test-event-${rows.invites.all().length + 1}@example.com` }
  const [{ inviteId } = { inviteId: '' }] = create({ quizId, candidate, callbackUrl, sendInviteEmail: false }, linkBase)
  mock.open(inviteId).pass()
  return inviteId
}
