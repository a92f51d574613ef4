import { statusOf, validCertification } from './attempts.ts'
import { announce } from './events.ts'
import { addInvite, obstacles, splitLink } from './invites.ts'
import type { FollowUpKind, Quiz } from '../generated/contract.ts'
import { type Invite, LEVELS } from './model.ts'
import { Refusal } from './refusal.ts'
import type { World } from './world.ts'

/** The follow-up that the attempt of this invite has earned and that was not claimed yet. */
export function offerOf(world: World, invite: Invite): { readonly kind: FollowUpKind; readonly quiz: Quiz } | null {
  if (invite.followedBy !== null) return null
  const status = statusOf(world, invite)
  const quiz = world.quizOf(invite.quizId)
  // A failed retake earns no further one.
  if (status === 'FAILED' && quiz.ready && invite.followUpOf?.kind !== 'retake') return { kind: 'retake', quiz }
  const next = status === 'PASSED' ? nextLevel(world, invite, quiz) : undefined
  return next ? { kind: 'level-up', quiz: next } : null
}

/**
 * The candidate claims an offer: a new invite without an e-mail, which inherits the `callbackUrl` and the
 * `externalReference`. Throws a {@link Refusal}, and changes nothing, if there is no such offer or the candidate may
 * not take that quiz now.
 */
export function claimFollowUp(world: World, invite: Invite, kind: FollowUpKind): Invite {
  const offer = offerOf(world, invite)
  if (offer?.kind !== kind) throw new Refusal('NO_OFFER', `No ${kind} is on offer for this invite.`)
  const [obstacle] = obstacles(world, invite.candidate.email, offer.quiz)
  if (obstacle) throw new Refusal('NOT_ELIGIBLE', `The ${kind} cannot be claimed now. ${obstacle.message}`)
  const { candidate, callbackUrl, externalReference } = invite
  const followUp = addInvite(world, offer.quiz, {
    candidate,
    callbackUrl,
    externalReference,
    packageId: null,
    emailWanted: false,
    linkBase: splitLink(invite.challengeUrl).base,
    followUpOf: { inviteId: invite.inviteId, kind },
  })
  world.state.invites.set(invite.inviteId, { ...invite, followedBy: followUp.inviteId })
  announce(world, invite, { kind: 'claimed', followUp, offer: kind })
  return followUp
}

/** Of the READY quizzes for the same skill one level higher, the first that the candidate has not passed, or else the first. */
function nextLevel(world: World, { candidateKey }: Invite, { skillName, level }: Quiz): Quiz | undefined {
  const next = LEVELS[LEVELS.indexOf(level) + 1]
  const quizzes = [...world.state.quizzes.values()].filter(
    (quiz) => quiz.ready && quiz.skillName === skillName && quiz.level === next,
  )
  return quizzes.find(({ id }) => !validCertification(world, candidateKey, id)) ?? quizzes[0]
}
