import type { MockCandidate, MockChallenge } from '../contract/members.ts'
import { beginAttempt, passQuiz } from '../world/attempts.ts'
import { act } from '../world/candidate-actions.ts'
import { claimFollowUp, offerOf } from '../world/follow-ups.ts'
import {
  createInvite,
  createPackageInvite,
  type PackageInviteRequest,
  type QuizInviteRequest,
  tokenIn,
} from '../world/invites.ts'
import { type AttemptAct, type Caller, SCOPES } from '../world/model.ts'
import type { World } from '../world/world.ts'
import { attemptRows, certificationRows, type CreateInvites, inviteRow } from './rows.ts'

/** What a tester does as a candidate without a link. */
export function candidateOf(world: World, email: string, onDone: () => void): MockCandidate {
  return {
    email,
    startAttempt: (quizId) => beginAttempt(world, email, quizId),
    certify(quizId) {
      passQuiz(world, email, quizId)
      onDone()
    },
    get attempts() {
      return attemptRows(world, email)
    },
    get certifications() {
      return certificationRows(world, email)
    },
  }
}

/** What a tester does as the candidate of one link. Throws if no invite has this link or identifier. */
export function challengeOf(world: World, link: string, onDone: () => void): MockChallenge {
  const token = tokenIn(link)
  const found = token === undefined ? world.state.invites.get(link) : world.state.inviteByToken(token)
  if (!found) throw new Error('This world has no invite with that link or identifier.')
  const { inviteId } = found
  const actionOf = (action: AttemptAct) => (): void => {
    act(world, inviteId, action)
    onDone()
  }
  return {
    get invite() {
      return inviteRow(world, world.inviteOf(inviteId))
    },
    get offer() {
      return offerOf(world, world.inviteOf(inviteId))?.kind ?? null
    },
    start: actionOf('start'),
    pass: actionOf('pass'),
    fail: actionOf('fail'),
    abandon: actionOf('abandon'),
    claim(kind) {
      const followUp = claimFollowUp(world, world.inviteOf(inviteId), kind)
      onDone()
      return inviteRow(world, followUp)
    },
  }
}

/** Creates invites for a tester: by the rules of the service, but without a key, faults and an entry in the request log. */
export function inviteCreation(world: World, onDone: () => void): CreateInvites {
  return (input, linkBase) => {
    const request = input as QuizInviteRequest | PackageInviteRequest
    const context = { caller: TESTER, linkBase }
    const created =
      'packageId' in request
        ? createPackageInvite(world, request, context).invites
        : [createInvite(world, request, context)]
    onDone()
    return created.map((invite) => inviteRow(world, invite))
  }
}

const TESTER: Caller = { kind: 'api-key', scopes: SCOPES }
